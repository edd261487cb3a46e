/** A host with something to lose: canaries, a bystander, and a workspace for each attempt. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SandboxLimits } from '../../src/sandbox/index.ts';
import { removeTree } from '../../src/tools/remove-tree.ts';

const MiB = 1024 * 1024;

/** Small, so that an attempt to take more would harm nobody without a sandbox either. */
export const LIMITS: Partial<SandboxLimits> = {
  memoryBytes: 192 * MiB,
  tasks: 24,
  fileBytes: 8 * MiB,
  diskBytes: 40 * MiB,
  files: 1_500,
  outputBytes: 4 * MiB,
};

const SHARE = { tasks: 32, memory: 192 * MiB, file: 8 * MiB, disk: 40 * MiB, files: 1_500 };

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const ATTEMPTS = readFileSync(here('attempts.py'), 'utf8');

/** Of those that can be told by a look at the text. */
export const ATTEMPT_NAMES = [...ATTEMPTS.matchAll(/^@trial\ndef (\w+)/gm)].map(([, name = '']) => name);

export interface Host {
  readonly secret: string;
  readonly marker: string;
  /** Readable by whoever the code runs as. */
  readonly base: string;
  /** The code of an attempt, as `run_python` takes it. */
  readonly codeOf: (attempt: string) => string;
  /** What an attempt has left where nothing may come, by path. */
  readonly traces: () => readonly string[];
  readonly close: () => Promise<void>;
}

export async function startHost(): Promise<Host> {
  const base = mkdtempSync(join(tmpdir(), 'escape-'));
  chmodSync(base, 0o755);
  const secret = `canary-${randomBytes(12).toString('hex')}`;
  const marker = `attempt-${randomBytes(6).toString('hex')}`;
  const sibling = join(base, 'sibling', 'secret.txt');
  const shared = `/dev/shm/${marker}-canary`;
  // The home folder of the user may be closed to whom this process has become.
  const home = existsSync(homedir()) && canWrite(homedir()) ? homedir() : join(base, 'home');
  const canaries = [sibling, join(home, `.${marker}`), join(tmpdir(), `${marker}-canary`), shared];
  for (const path of [join(base, 'sibling'), home]) mkdirSync(path, { recursive: true });
  for (const path of canaries) writeFileSync(path, secret, { mode: 0o644 });
  const facts = {
    secret,
    marker,
    sibling,
    home: canaries[1],
    tmp: canaries[2],
    folders: [home, '/', '/etc', '/usr', '/usr/local/bin', '/var/tmp', join(base, 'sibling'), base],
    socket: join(base, 'outside.sock'),
    datagrams: join(base, 'outside-datagrams.sock'),
    key: 0x7475_0000 + (process.pid % 0xffff),
    runner: process.pid,
    isRoot: process.getuid?.() === 0,
    share: SHARE,
  };
  const victim = spawn('/usr/bin/python3', [here('victim.py'), JSON.stringify({ ...facts, secret: '' })], {
    cwd: join(base, 'sibling'),
    env: { SECRET: secret },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = (await once(victim.stdout, 'data')) as [Buffer];
  const known = { ...facts, victim: victim.pid, port: Number(String(port)) };
  const looked = [...facts.folders, '/tmp', '/dev/shm'];
  return {
    secret,
    marker,
    base,
    codeOf: (attempt) =>
      `import json\nFACTS = json.loads(${JSON.stringify(JSON.stringify(known))})\n${ATTEMPTS}\nattempt(${JSON.stringify(attempt)})\n`,
    traces: () => [...looked, ...userPackages(home)].flatMap((folder) => tracesIn(folder, marker)),
    close: async () => {
      await endOf(victim);
      for (const path of [...canaries, base]) rmSync(path, { recursive: true, force: true });
    },
  };
}

function canWrite(folder: string): boolean {
  try {
    rmSync(mkdtempSync(join(folder, '.attempt-')), { recursive: true });
    return true;
  } catch {
    return false;
  }
}

function tracesIn(folder: string, marker: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name === marker || name === `${marker}.pth`);
    for (const name of names) rmSync(join(folder, name), { recursive: true, force: true });
    return names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Where Python looks for packages of a user, in any version. */
function userPackages(home: string): readonly string[] {
  const folder = join(home, '.local/lib');
  return existsSync(folder)
    ? readdirSync(folder).map((version) => join(folder, version, 'site-packages'))
    : [];
}

async function endOf(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  // It gives back what the kernel would keep.
  child.stdin?.end();
  await ended;
}

export interface Workspace {
  readonly folder: string;
  readonly scratch: string;
  /** All that is in it, with types, modes and contents. */
  readonly picture: (only?: readonly string[]) => Readonly<Record<string, string>>;
  readonly close: () => void;
}

/** A project with what a model must not touch. */
export async function workspaceIn({ base, secret }: Host): Promise<Workspace> {
  const folder = mkdtempSync(join(base, 'work '));
  const scratch = mkdtempSync(join(base, 'scratch-'));
  for (const path of ['.git/hooks', '.vscode', '.turnstile', 'node_modules/left-pad']) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  const files = {
    '.git/config': '',
    '.vscode/tasks.json': '{}',
    '.envrc': '',
    'turnstile.json': '{}',
    '.turnstile/secret.txt': secret,
    'node_modules/left-pad/index.js': '',
    'data.txt': 'data',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  symlinkSync(join(base, 'sibling', 'secret.txt'), join(folder, 'link-to-sibling'));
  const server = await socketIn(join(folder, 'inside.sock'), secret);
  openToAll(folder);
  return {
    folder,
    scratch,
    picture: (only) => pictureOf(folder, only),
    close: () => {
      server.close();
      for (const path of [folder, scratch]) removeTree(path);
    },
  };
}

async function socketIn(path: string, secret: string): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => undefined).end(secret));
  server.listen(path);
  await once(server, 'listening');
  return server;
}

/** Whom the code runs as owns nothing: only the sandbox is to be what stops it. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o777);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (!entry.isSymbolicLink()) chmodSync(path, 0o666);
  }
}

function pictureOf(folder: string, only?: readonly string[]): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mode, mtimeMs } = lstatSync(path);
    const text = entry.isFile() ? `${readFileSync(path, 'utf8')} ${mtimeMs}` : '';
    return [path.slice(folder.length + 1), `${mode.toString(8)} ${text}`] as const;
  });
  const isWanted = (path: string): boolean => only === undefined || only.includes(path.split('/')[0] ?? '');
  return Object.fromEntries(
    entries.filter(([path]) => isWanted(path)).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}
