import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PassedLimit } from '../sandbox/index.ts';
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
  /** Files for descriptor 3 and those that follow, to be read. */
  readonly inputs?: readonly string[];
  /** It writes to the descriptor behind those the id of the process that all others hang on, as `--info-fd` of bubblewrap. */
  readonly tellsInner?: boolean;
  /** The command is a sandbox that runs another one: see `ProcessTree`. */
  readonly isSandbox?: boolean;
  /** Looks at the processes now and then, with all bytes that were printed; names the limit that is passed. */
  readonly overLimit?: (pid: number, printedBytes: number) => Promise<PassedLimit | null>;
}

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'over_limit'; readonly limit: PassedLimit }
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
  const child = start(spec, mark);
  const inner = new Inner(spec.tellsInner === true ? child.stdio[3 + (spec.inputs?.length ?? 0)] : null);
  const tree =
    child.pid === undefined
      ? null
      : {
          pid: child.pid,
          mark: `${MARK}=${mark}`,
          isSandbox: spec.isSandbox ?? false,
          inner,
        };
  const forget = atExit(() => tree && killTree(tree));
  const closed = new Promise((resolve) => child.once('close', resolve));
  let printed = 0;
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (chunk: Buffer) => {
      printed += chunk.length;
      spec.onOutput(stream, chunk);
    });
  }
  try {
    const end = await firstEnd(child, spec, () => printed);
    // It may only be told a moment after the sandbox has ended.
    if (end.kind === 'exited' || end.kind === 'killed')
      await Promise.race([inner.isTold, sleep(DRAIN_MS, undefined, { ref: false })]);
    if (tree) await endTree(tree);
    // Not for as long as the pipes are open: whoever escaped may hold them for ever.
    await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
    return end;
  } finally {
    child.stdout?.destroy();
    child.stderr?.destroy();
    inner.close();
    forget();
  }
}

/** The process that the others in a sandbox hang on. */
class Inner {
  readonly #source: Readable;
  #told = '';
  /** The sandbox has told all that it will. */
  readonly isTold: Promise<unknown>;

  /** @param source where it is told, if anywhere */
  constructor(source: unknown) {
    this.#source = source instanceof Readable ? source : Readable.from([]);
    this.#source.on('data', (chunk: Buffer) => (this.#told += chunk.toString('latin1')));
    this.#source.on('error', () => undefined);
    this.isTold = new Promise((resolve) => this.#source.once('close', resolve));
  }

  close(): void {
    this.#source.destroy();
  }

  /** Its id, once that is known. */
  get pid(): number | null {
    const [, pid] = /"child-pid": *(\d+)/.exec(this.#told) ?? [];
    return pid === undefined ? null : Number(pid);
  }
}

function start(
  { command, args, cwd, env, inputs = [], tellsInner = false }: ProcessSpec,
  mark: string,
): ChildProcess {
  const files: number[] = [];
  try {
    for (const path of inputs) files.push(openSync(path, 'r'));
    return spawn(command, [...args], {
      cwd,
      env: { ...env, [MARK]: mark },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', ...files, ...(tellsInner ? (['pipe'] as const) : [])],
    });
  } finally {
    for (const file of files) closeSync(file);
  }
}

const WATCH_EVERY_MS = 50;

function firstEnd(
  child: ChildProcess,
  { timeoutMs, signal, overLimit }: ProcessSpec,
  printed: () => number,
): Promise<ProcessEnd> {
  const settled = new AbortController();
  const end = new Promise<ProcessEnd>((resolve, reject) => {
    const timer = startTimer(() => resolve({ kind: 'timed_out' }), timeoutMs);
    settled.signal.addEventListener('abort', () => clearTimeout(timer));
    signal.addEventListener('abort', () => resolve({ kind: 'aborted' }), { signal: settled.signal });
    child.on('error', reject);
    child.on('exit', (exitCode, killer) => {
      resolve(exitCode === null ? { kind: 'killed', signal: String(killer) } : { kind: 'exited', exitCode });
    });
    const watch = async (pid: number, over: NonNullable<ProcessSpec['overLimit']>): Promise<void> => {
      while (!settled.signal.aborted) {
        const limit = await over(pid, printed());
        if (limit !== null) return resolve({ kind: 'over_limit', limit });
        await sleep(WATCH_EVERY_MS, undefined, { ref: false });
      }
      return undefined;
    };
    if (overLimit !== undefined && child.pid !== undefined) watch(child.pid, overLimit).catch(reject);
  });
  return end.finally(() => settled.abort());
}
