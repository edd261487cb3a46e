/** A folder, a server and the command, for tests of several commands about one run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { says, toolUse, type Reply, type StrictServer } from '../../src/testing/index.ts';
import { BARE, BIN, folderWith, keyed, serverOf, turnstile, type Ended } from './command.ts';

export interface Shell {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly requests: StrictServer['requests'];
  readonly run: (...args: readonly string[]) => Promise<Ended>;
  /** Starts a command, and kills it when `isDue`. */
  readonly kill: (
    args: readonly string[],
    isDue: () => Promise<boolean>,
    signal?: NodeJS.Signals,
  ) => Promise<void>;
  /** Path of the first journal. */
  readonly journalFile: () => Promise<string>;
  /** Its lines. */
  readonly journal: () => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** The server gives these replies in turn, the last one for ever. */
export async function shell(...replies: readonly Reply[]): Promise<Shell> {
  const cwd = await folderWith({ 'a.txt': 'x' });
  const server = await serverOf(replies);
  const env = keyed(server);
  const folder = join(cwd, '.turnstile', 'runs');
  const journalFile = async (): Promise<string> =>
    join(folder, (await readdir(folder)).find((name) => name.endsWith('.jsonl')) ?? 'none');
  return {
    cwd,
    env,
    requests: server.requests,
    run: (...args) => turnstile(args, { cwd, env }),
    kill: async (args, isDue, signal = 'SIGKILL') => {
      const child = spawn(process.execPath, ['--', BIN, ...args], {
        cwd,
        env: { ...BARE, ...env },
        stdio: 'ignore',
      });
      const ended = once(child, 'close');
      // Not `expect.poll`: of tests that run side by side it takes one for another.
      await vi.waitUntil(isDue, { timeout: 20_000 });
      child.kill(signal);
      await ended;
    },
    journalFile,
    journal: async () =>
      (await readFile(await journalFile(), 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
  };
}

/** What an approval off a terminal has to repeat. */
export const hashIn = ({ stderr }: Ended): string =>
  /--input-hash ([0-9a-f]{16})/.exec(stderr)?.[1] ?? 'none';

/** Code that begins in the folder that it may write to. */
export const python = (code: string, id?: string) =>
  toolUse('run_python', { code: `import os; os.chdir(os.environ["SCRATCH"])\n${code}` }, id);

/** Names of files that code has written, in all runs. */
export async function madeIn(cwd: string): Promise<readonly string[]> {
  const folder = join(cwd, '.turnstile', 'scratch');
  const names = await Promise.all((await readdir(folder)).map((run) => readdir(join(folder, run))));
  return names.flat();
}

/** A run that waits: its model wants to write a file. */
export const waiting = async (...more: readonly Reply[]): Promise<Shell> => {
  const box = await shell(says(python('open("made", "w")', 'toolu_1')), ...more);
  expect((await box.run('do it')).code).toBe(8);
  return box;
};
