import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsOf, processTable } from '../sandbox/process-table.ts';

/** A process and everything that it started. */
export interface ProcessTree {
  /** Id of the first process, which leads a group of its own. */
  readonly pid: number;
  /** `NAME=value`, unique, in the environment of all of them. */
  readonly mark: string;
  /**
   * The first process is a sandbox, which others hang on. A signal for it could leave them to nobody, or kill them before
   * they have cleaned up.
   */
  readonly isSandbox: boolean;
  /** The process that all others in a sandbox hang on, once its id is known: it is the last to end. */
  readonly inner: { readonly pid: number | null };
}

const GRACE_MS = 200;
/** Something that forks faster than it is killed is left at last: a bound only a sandbox could do without. */
const GIVE_UP_MS = 2_000;
const POLL_MS = 20;

/**
 * Ends all processes of a tree: SIGTERM, a short grace, SIGKILL until none is left. On Linux that includes those which
 * left the group (`setsid`, double fork), as long as they kept their environment; elsewhere only the group is ended.
 */
export async function endTree(tree: ProcessTree): Promise<void> {
  if (!isAlive(tree)) return;
  signalTree(tree, 'SIGTERM');
  if (await isGoneWithin(tree, GRACE_MS)) return;
  const giveUpAt = performance.now() + GIVE_UP_MS;
  do {
    signalTree(tree, 'SIGKILL');
  } while (!(await isGoneWithin(tree, POLL_MS)) && performance.now() < giveUpAt);
  if (tree.isSandbox) send(tree.pid, 'SIGKILL');
}

/** As `endTree`, without a grace and at once: for when this process exits. */
export function killTree(tree: ProcessTree): void {
  for (let round = 0; round < 5 && isAlive(tree); round++) signalTree(tree, 'SIGKILL');
  if (tree.isSandbox) send(tree.pid, 'SIGKILL');
}

async function isGoneWithin(tree: ProcessTree, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (isAlive(tree)) {
    if (performance.now() >= until) return false;
    await sleep(POLL_MS);
  }
  return true;
}

function isAlive(tree: ProcessTree): boolean {
  // Twice: a process that forks and ends between being listed and being read hides its child, once.
  return hasMembers(tree) || hasMembers(tree);
}

/** Each process gets it once: those of the group through the group, the others by name. */
function signalTree(tree: ProcessTree, signal: NodeJS.Signals): void {
  const { outside, inside } = membersOf(tree);
  const targets = tree.isSandbox
    ? [...inside, ...outside].filter((pid) => pid !== tree.pid)
    : [groupOf(tree), ...outside];
  for (const target of targets) send(target, signal);
}

/** What `kill` takes for the whole group. Windows has no groups. */
const groupOf = ({ pid }: ProcessTree): number => (process.platform === 'win32' ? pid : -pid);

interface Members {
  /** Ids of those in the group; where processes cannot be listed, of the first one while there is any. */
  readonly inside: readonly number[];
  /** Ids of those which left the group; none where processes cannot be listed. */
  readonly outside: readonly number[];
}

function hasMembers(tree: ProcessTree): boolean {
  const { inside, outside } = membersOf(tree);
  return inside.length > 0 || outside.length > 0;
}

function membersOf(tree: ProcessTree): Members {
  if (process.platform !== 'linux') return { inside: send(groupOf(tree), 0) ? [tree.pid] : [], outside: [] };
  const table = processTable();
  const below = new Set(descendantsOf(tree.pid, table).map(({ pid }) => pid));
  const inside = table.filter(({ group }) => group === tree.pid);
  const outside = table.filter(
    ({ pid, group }) =>
      group !== tree.pid && (below.has(pid) || pid === tree.inner.pid || isMarked(pid, tree)),
  );
  return { inside: inside.map(({ pid }) => pid), outside: outside.map(({ pid }) => pid) };
}

/** It has the mark in its environment. Code in a sandbox cannot leave it, and could have taken the mark off. */
function isMarked(pid: number, { mark, isSandbox }: ProcessTree): boolean {
  try {
    return !isSandbox && readFileSync(`/proc/${pid}/environ`).includes(mark);
  } catch {
    return false; // It ended meanwhile, or is another user's.
  }
}

/** @returns whether there was something to send it to */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
