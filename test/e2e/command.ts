/** Runs the compiled command in a folder of its own, as a user would. */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { Transcript } from '../../src/journal/transcript.ts';
import {
  startStrictServer,
  type Reply,
  type StrictServer,
  type StrictServerOptions,
} from '../../src/testing/index.ts';

export const BIN = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Start {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly onStart?: (child: ChildProcess) => void;
}

/** No key, no base URL, no terminal, unless the test says so. */
export const BARE: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  LANG: 'C.UTF-8',
  // Where the key is that marks the runs of this account.
  XDG_STATE_HOME: join(tmpdir(), `turnstile-test-${process.getuid?.() ?? 'user'}`),
  // The tests may be root's; code runs as nobody then.
  TURNSTILE_AS_ROOT: '1',
};

export function turnstile(args: readonly string[], { cwd, env, stdin = '', onStart }: Start): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--', BIN, ...args], { cwd, env: { ...BARE, ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin);
    onStart?.(child);
  });
}

/** Done when all tests of the file are: concurrent tests have no end of their own. */
export const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  await Promise.all(cleanUps.map((cleanUp) => cleanUp()));
});

/** A folder with these files; it is removed in the end. */
export async function folderWith(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnstile test '));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** A strict server that gives these replies in turn, the last one for ever; it is closed in the end. */
export async function serverOf(
  replies: readonly Reply[],
  options: Omit<StrictServerOptions, 'respond'> = {},
): Promise<StrictServer> {
  const server = await startStrictServer({
    ...options,
    respond: ({ index }) => {
      const reply = replies[Math.min(index, replies.length - 1)];
      if (reply === undefined) throw new Error('No reply');
      return reply;
    },
  });
  cleanUps.push(() => server.close());
  return server;
}

export const keyed = (server: StrictServer): Readonly<Record<string, string>> => ({
  ANTHROPIC_API_KEY: 'sk-test-0123456789',
  ANTHROPIC_BASE_URL: server.url,
});

export async function transcriptIn(folder: string, name = 't.json'): Promise<Transcript> {
  // Written by the command under test; each test checks what it reads of it.
  return JSON.parse(await readFile(join(folder, name), 'utf8')) as Transcript;
}
