import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process and everything that it started. */
export interface ProcessTree {
  /** Id of the first process, which leads a group of its own. */
  readonly pid: number;
  /** `NAME=value`, unique, in the environment of all of them. */
  readonly mark: string;
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
}

/** As `endTree`, without a grace and at once: for when this process exits. */
export function killTree(tree: ProcessTree): void {
  for (let round = 0; round < 5 && isAlive(tree); round++) signalTree(tree, 'SIGKILL');
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
  for (const target of [groupOf(tree), ...membersOf(tree).outside]) send(target, signal);
}

/** What `kill` takes for the whole group. Windows has no groups. */
const groupOf = ({ pid }: ProcessTree): number => (process.platform === 'win32' ? pid : -pid);

interface Members {
  readonly isGroupAlive: boolean;
  /** Ids of those which left the group; none where processes cannot be listed. */
  readonly outside: readonly number[];
}

function hasMembers(tree: ProcessTree): boolean {
  const { isGroupAlive, outside } = membersOf(tree);
  return isGroupAlive || outside.length > 0;
}

function membersOf(tree: ProcessTree): Members {
  if (process.platform !== 'linux') return { isGroupAlive: send(groupOf(tree), 0), outside: [] };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const places = pids.map((pid) => placeOf(pid, tree));
  return {
    isGroupAlive: places.includes('group'),
    outside: pids.filter((_, index) => places[index] === 'outside').map(Number),
  };
}

/** Where a process of the tree is; null of any other, and of what has ended. */
function placeOf(pid: string, { pid: group, mark }: ProcessTree): 'group' | 'outside' | null {
  try {
    // "pid (name) state parent group …": the name may hold anything, parentheses too.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return null;
    if (Number(processGroup) === group) return 'group';
    return readFileSync(`/proc/${pid}/environ`).includes(mark) ? 'outside' : null;
  } catch {
    return null; // It ended meanwhile, or is another user's.
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
