import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, turnstile } from './command.ts';

describe.concurrent('turnstile prove', () => {
  it.each([
    { args: ['--export', 'kit', '--json'], says: '--export and --json' },
    { args: ['--export', 'kit', '--play'], says: '--export and --play' },
    { args: ['--export', 'kit', '--max-turns', '3'], says: '--export and --max-turns' },
    { args: ['--max-turns', '5'], says: '5 is none of 2 to 4' },
    { args: ['--export', 'a.txt'], says: '--export a.txt' },
    { args: ['--export', join('a.txt', 'kit')], says: '--export a.txt/kit' },
    { args: ['--export', '/proc/kit'], says: '--export /proc/kit' },
  ])('$args is a usage error that says so at once', async ({ args, says }) => {
    const cwd = await folderWith({ 'a.txt': 'a' });
    const ended = await turnstile(['prove', ...args], { cwd });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(says) });
  });
});
