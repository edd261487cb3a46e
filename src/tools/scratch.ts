/** Where code in a sandbox writes what a run keeps. */
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './at-exit.ts';
import { removeTree } from './remove-tree.ts';

export interface Scratch {
  /** The folder of a run, for a call that begins. */
  readonly take: (runId: string) => string;
  /** The call has ended: a temporary folder in which nothing was left goes at once. */
  readonly leave: (runId: string) => void;
}

/** The id of a run that goes on may have been written by anybody. */
const RUN_ID = /^[\w-]{1,64}$/;

/** @param base where folders stay; without it they are temporary, and gone with their last user at the latest */
export function scratchFolders(base: string | undefined, uid: number | null): Scratch {
  const temporary = new Map<string, Temporary>();
  const scratch: Scratch = {
    take: (runId) => {
      if (base !== undefined && RUN_ID.test(runId)) return ours(join(base, runId), uid);
      const known = temporary.get(runId);
      const held = known !== undefined && existsSync(known.path) ? known : newTemporary(uid);
      held.calls += 1;
      temporary.set(runId, held);
      return held.path;
    },
    leave: (runId) => {
      const held = temporary.get(runId);
      if (held === undefined) return;
      held.calls = Math.max(0, held.calls - 1);
      if (held.calls > 0 || !isRemovedIfEmpty(held.path)) return;
      held.forget();
      temporary.delete(runId);
    },
  };
  unreachable.register(scratch, temporary);
  return scratch;
}

interface Temporary {
  readonly path: string;
  readonly forget: () => void;
  /** Under way. */
  calls: number;
}

/** In a process that lives long, a tool that nobody has any more leaves nothing. */
const unreachable = new FinalizationRegistry<Map<string, Temporary>>((folders) => {
  for (const { path, forget } of folders.values()) {
    removeTree(path);
    forget();
  }
});

const PREFIX = 'turnstile-scratch-';

function newTemporary(uid: number | null): Temporary {
  sweep();
  const path = ours(mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`)), uid);
  return { path, forget: atExit(() => removeTree(path)), calls: 0 };
}

function isRemovedIfEmpty(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    return !existsSync(path);
  }
}

/** Process ids of another container mean nothing here: only what is this old is taken for left over. */
const LEFT_OVER_MS = 24 * 60 * 60 * 1_000;
let isSwept = false;

/** What processes of this user that were killed have left. */
function sweep(): void {
  if (isSwept) return;
  isSwept = true;
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-\\w{6}$`).exec(name)?.[1] ?? Number.NaN);
    const path = join(tmpdir(), name);
    if (!Number.isNaN(pid) && !isAlive(pid) && isLeftOver(path)) removeTree(path);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function isLeftOver(path: string): boolean {
  try {
    const stats = lstatSync(path);
    const isOwn = stats.isDirectory() && stats.uid === process.getuid?.();
    return isOwn && Date.now() - stats.mtimeMs > LEFT_OVER_MS;
  } catch {
    return false;
  }
}

function ours(folder: string, uid: number | null): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (uid !== null) chownSync(folder, uid, uid);
  return realpathSync(folder);
}
