/** A repository may bring a state folder along. What lies in it was written by others. */
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says, toolUse } from '../../src/testing/index.ts';
import { folderWith, turnstile, type Ended } from './command.ts';
import { hashIn, madeIn, shell, waiting, type Shell } from './shell.ts';

interface Clone extends Shell {
  /** The workspace that the state folder came to. */
  readonly clone: string;
  readonly runThere: (...args: readonly string[]) => Promise<Ended>;
}

/** A run that waits for a call, with an approval of it, as a repository would ship it. */
async function cloned(): Promise<Clone> {
  const box = await waiting(says('Done.'));
  await box.run('approve', 'last', '--input-hash', hashIn(await box.run('approve', 'last')));
  const clone = await folderWith({ 'a.txt': 'x' });
  await cp(join(box.cwd, '.turnstile'), join(clone, '.turnstile'), { recursive: true });
  await rm(join(clone, '.turnstile', 'scratch'), { recursive: true, force: true });
  await mkdir(join(clone, '.turnstile', 'scratch'));
  return { ...box, clone, runThere: (...args) => turnstile(args, { cwd: clone, env: box.env }) };
}

describe.concurrent('a journal in the state folder that was not begun on this account', () => {
  it.each([
    { args: ['resume', 'last'], says: /not begun on this account, so it grants nothing.*--workdir DIR/ },
    { args: ['resume', 'last', '--yes'], says: /not begun on this account, so it grants nothing/ },
    { args: ['approve', 'last'], says: /not begun on this account: a decision.*--workdir DIR/ },
    { args: ['deny', 'last'], says: /not begun on this account: a decision/ },
    { args: ['fork', 'last', '--at', '2'], says: /not begun on this account: a run of your own/ },
    { args: ['resume', 'last', '--fork'], says: /not begun on this account: a run of your own/ },
  ])('is refused by turnstile $args', async ({ args, says: said }) => {
    const { runThere, requests, clone } = await cloned();
    expect(await runThere(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(said),
    });
    expect(requests).toHaveLength(1);
    expect(await madeIn(clone)).toEqual([]);
  });

  it('is asked about anew, whoever approved in it', async () => {
    const { runThere, clone, requests } = await cloned();
    expect((await runThere('resume', 'last', '--workdir', '.')).code).toBe(8);
    expect(await madeIn(clone)).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  it('can be looked at', async () => {
    const { runThere } = await cloned();
    expect((await runThere('show', 'last')).code).toBe(0);
    expect((await runThere('runs')).stdout).toContain('waiting');
  });

  it('cannot be made one: no tool sees the key, wherever the workspace is', async () => {
    const box = await shell(says(toolUse('read_file', { path: 'home/turnstile/key' })), says('Done.'));
    const env = { ...box.env, XDG_STATE_HOME: join(box.cwd, 'home') };
    expect((await turnstile(['do it', '--tools', 'read_file'], { cwd: box.cwd, env })).code).toBe(0);
    expect(await readdir(join(box.cwd, 'home/turnstile'))).toEqual(['key']);
    expect(JSON.stringify(box.requests[1]?.body)).toMatch(/home\/turnstile\/key.{1,9}belongs to the program/);
  });

  it('is one that could not be marked, which is said when it begins', async () => {
    const { cwd, env, run } = await shell(
      says(toolUse('run_python', { code: '1' })),
      says(toolUse('run_python', { code: '1' })),
    );
    const homeless = { ...env, XDG_STATE_HOME: join(await folderWith({ file: '' }), 'file') };
    const begin = (...more: readonly string[]) =>
      turnstile(['do it', '--sandbox', 'none', ...more], { cwd, env: homeless });
    const begun = await begin();
    expect(begun).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(/cannot be marked.*XDG_STATE_HOME/),
    });
    expect((await run('approve', 'last', '--all')).stderr).toMatch(/not begun on this account/);
    expect((await begin('--quiet')).stderr).not.toMatch(/cannot be marked/);
  });

  it('is that of another account, too', async () => {
    const { run, cwd, env } = await waiting(says('Done.'));
    const other = { ...env, XDG_STATE_HOME: await folderWith() };
    const ended = await turnstile(['resume', 'last'], { cwd, env: other });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/not begun on this account/) });
    expect((await run('resume', 'last')).code).toBe(8);
  });
});
