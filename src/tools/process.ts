import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { atExit } from './at-exit.ts';
import { endTree, killTree } from './processes.ts';
import { startTimer } from './time-limit.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProcessSpec {
  /** A path, or a name that is looked for in `env.PATH`. No shell is involved. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  /** Counted from the start of the process. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Takes bytes as they come. Must not throw. */
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
}

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'aborted' };

/** Marks everything that a call started, wherever it moved. */
const MARK = 'TURNSTILE_CALL';
/** For what is still in the pipes when all writers are dead. */
const DRAIN_MS = 300;

/**
 * Runs a program to its end, its time limit or `signal`, without standard input. When this resolves, nothing that the
 * program started is running any more (see `endTree` for the limits of that).
 * @throws what spawning threw (`ENOENT`, `EACCES`, …), or the reason of a signal that had fired before
 */
export async function runProcess(spec: ProcessSpec): Promise<ProcessEnd> {
  spec.signal.throwIfAborted();
  const mark = randomUUID();
  const child = spawn(spec.command, [...spec.args], {
    cwd: spec.cwd,
    env: { ...spec.env, [MARK]: mark },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const tree = child.pid === undefined ? null : { pid: child.pid, mark: `${MARK}=${mark}` };
  const forget = atExit(() => tree && killTree(tree));
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.stdout.on('data', (chunk: Buffer) => spec.onOutput('stdout', chunk));
  child.stderr.on('data', (chunk: Buffer) => spec.onOutput('stderr', chunk));
  try {
    const end = await firstEnd(child, spec);
    if (tree) await endTree(tree);
    // Not for as long as the pipes are open: whoever escaped may hold them for ever.
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
    return end;
  } finally {
    child.stdout.destroy();
    child.stderr.destroy();
    forget();
  }
}

function firstEnd(child: ChildProcess, { timeoutMs, signal }: ProcessSpec): Promise<ProcessEnd> {
  const settled = new AbortController();
  const end = new Promise<ProcessEnd>((resolve, reject) => {
    const timer = startTimer(() => resolve({ kind: 'timed_out' }), timeoutMs);
    settled.signal.addEventListener('abort', () => clearTimeout(timer));
    signal.addEventListener('abort', () => resolve({ kind: 'aborted' }), { signal: settled.signal });
    child.on('error', reject);
    child.on('exit', (exitCode, killer) => {
      resolve(exitCode === null ? { kind: 'killed', signal: String(killer) } : { kind: 'exited', exitCode });
    });
  });
  return end.finally(() => settled.abort());
}
