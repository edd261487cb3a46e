import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { says, toolUse } from '../../src/testing/index.ts';
import { BARE, BIN, turnstile } from './command.ts';
import { shell } from './shell.ts';

const computes = says(toolUse('run_python', { code: 'print(6 * 7)' }, 'toolu_1'));

/** The command where bubblewrap is nothing that could be run. */
async function withoutBubblewrap(args: readonly string[], { cwd, env }: Awaited<ReturnType<typeof shell>>) {
  const script = 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"';
  const line = ['--mount', 'sh', '-c', script, 'sh', process.execPath, '--', BIN, ...args];
  return promisify(execFile)('unshare', line, { cwd, env: { ...BARE, ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

describe.concurrent('the sandbox of a run', () => {
  it.each([
    { folder: 'the current one', path: '.:/usr/bin:/bin' },
    { folder: 'an empty one', path: ':/usr/bin:/bin' },
    { folder: 'one below', path: 'bin:/usr/bin:/bin' },
    { folder: 'the current one only', path: '.' },
    { folder: 'none', path: '' },
  ])('takes no python3 of a workspace, where the PATH has $folder', async ({ path }) => {
    const box = await shell(computes, says('Done.'));
    await mkdir(join(box.cwd, 'bin'));
    for (const file of ['python3', 'bin/python3']) {
      await writeFile(join(box.cwd, file), '#!/bin/sh\ntouch planted\nexec /usr/bin/python3 "$@"\n');
      await chmod(join(box.cwd, file), 0o755);
    }
    const env = { ...box.env, PATH: path };
    const ends = path.includes('/usr/bin') ? { code: 0, stdout: 'Done.\n' } : { code: 2, stdout: '' };
    for (const sandbox of ['auto', 'none'])
      expect(await turnstile(['do it', '--yes', '--sandbox', sandbox], { cwd: box.cwd, env })).toMatchObject(
        ends,
      );
    await turnstile(['doctor'], { cwd: box.cwd, env });
    expect(existsSync(join(box.cwd, 'planted'))).toBe(false);
  });

  it('stands in the journal, and is said where it may do more', async () => {
    const { run, journal } = await shell(computes, says('Done.'));
    expect((await run('do it', '--yes')).stderr).not.toMatch(/sandbox/i);
    expect((await journal())[0]?.['confinements']).toEqual({
      run_python: { sandbox: 'bubblewrap', workdir: 'ro', network: false, instead: null },
    });
  });

  it.each([
    { args: ['--sandbox', 'none'], says: /WITHOUT A SANDBOX: it can do all that you can/ },
    { args: ['--workdir-mode', 'rw'], says: /; it may change the workspace:/ },
    { args: ['--net', 'allow', '--allow', 'run_python'], says: /; it has the network:/ },
  ])('is said at the approval: $args', async ({ args, says: said }) => {
    const { run } = await shell(computes, says('Done.'));
    expect((await run('do it', ...args)).code).toBe(8);
    expect((await run('approve', 'last')).stderr).toMatch(said);
  });

  it('has to be left out again when the run goes on', async () => {
    const { run } = await shell(computes, says('Done.'), says('More.'));
    await run('do it', '--sandbox', 'none');
    expect(await run('resume', 'last', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/began without a sandbox.*--sandbox none.*--fork/s),
    });
    expect(await run('resume', 'last', '--yes', '--sandbox', 'none')).toMatchObject({
      code: 0,
      stdout: 'Done.\n',
    });
  });

  // Only root can hide a program from one command.
  it.runIf(process.getuid?.() === 0)('falls back to Landlock, and says so in one line', async () => {
    const box = await shell(computes, says('Done.'));
    const ended = await withoutBubblewrap(['do it', '--yes'], box);
    expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(ended.stderr.match(/^Sandbox: landlock, which hides less.*bubblewrap: .*EACCES/gm)).toHaveLength(
      1,
    );
    expect(JSON.stringify(box.requests[1]?.body)).toContain('42');
  });

  it.runIf(process.getuid?.() === 0)('that does not work stops the run before anything is sent', async () => {
    const box = await shell(computes, says('Done.'));
    const ended = await withoutBubblewrap(['do it', '--yes', '--sandbox', 'bubblewrap'], box);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/apt-get install bubblewrap.*--tools read_file.*--sandbox none/s);
    expect(box.requests).toEqual([]);
  });
});
