/** A stream that breaks off is asked again, and what it had said by then is as if it had never been. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says, toolUse, type Reply } from '../../src/testing/index.ts';
import { folderWith, keyed, serverOf, transcriptIn, turnstile } from './command.ts';
import { onTerminal } from './on-terminal.ts';

/** In the middle of its second block, a call. */
const half = {
  at: 7,
  reply: says('Hello wor', toolUse('run_python', { code: 'open("pwned", "w")' })),
};
const closed: Reply = { kind: 'close', ...half };

describe('G06: an attempt that broke off', () => {
  it.each<Reply>([
    { kind: 'reset', ...half },
    { kind: 'error_event', type: 'overloaded_error', message: 'Overloaded', ...half },
    closed,
  ])('by $kind leaves nothing in the answer, in the history, or in the folder', async (broken) => {
    const folder = await folderWith();
    const server = await serverOf([broken, says('Hello world')]);
    const ended = await turnstile(['do it', '--yes', '--transcript', 't.json'], {
      cwd: folder,
      env: keyed(server),
    });
    expect(ended).toMatchObject({ code: 0, stdout: 'Hello world\n' });
    expect(ended.stderr).toContain('Trying again');
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
    expect(server.requests).toHaveLength(2);
    const { messages, turns } = await transcriptIn(folder);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(turns).toMatchObject([
      { requests: [{ outcome: 'model.failed' }, { outcome: 'model.answered' }], calls: [] },
    ]);
  });

  it('is followed on a terminal by a line that says so, and by the whole answer', async () => {
    const { screen, code } = await onTerminal([closed, says('Hello world')], [], { args: ['--yes'] });
    expect(code).toBe(0);
    expect(screen).toMatch(/Hello wor\n.*Trying again.*\n.*Hello world/s);
    expect(screen.match(/Hello world/g)).toHaveLength(1);
  });
});
