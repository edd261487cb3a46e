/** The real tools behind the calls of a path, on a real folder. Each waits for its turn in the script. */
import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { CallHead, LoopEvent } from '../../machines/index.ts';
import { defineTool, type Tool, type ToolContext } from '../tools/define-tool.ts';
import { readFile } from '../tools/read-file.ts';
import { runPython } from '../tools/run-python.ts';
import { AMOUNTS } from './configuration.ts';
import type { Script } from './script.ts';

type Finished = Extract<LoopEvent, { type: 'tool.finished' }>;

export interface Workbench {
  readonly tools: readonly Tool[];
  readonly counts: { processes: number; deletions: number };
}

/** How the model spells a call. A string is input that is no JSON. */
export function inputOfCall({ fingerprint }: CallHead): { readonly name: string; readonly input: unknown } {
  const [family = '', letter] = fingerprint.split(' ');
  switch (family) {
    case 'read':
      return { name: 'read_file', input: { path: fileOf(fingerprint) } };
    case 'ask':
      return { name: 'run_python', input: { code: `exec(open("step.py").read())  # ${letter}` } };
    case 'deny':
      return { name: 'delete_file', input: { path: CANARY } };
    default:
      return letter === 'a'
        ? { name: 'read_file', input: { file: 'a.txt' } }
        : { name: 'rm', input: '{"path": "a.txt' };
  }
}

const fileOf = (fingerprint: string): string => `${fingerprint.replace(' ', '-')}.txt`;

/** What a call that is denied would delete. */
const CANARY = 'canary.txt';

const MARKER = 'running.txt';
const STEPS = {
  succeeded: (letter: string) => `print("${letter}", sum(range(10)))`,
  failed: () => 'raise ValueError("no such column")',
  hangs: () => `import time; open("${MARKER}", "w").close(); time.sleep(600)`,
} as const;

/** @param pythonTimeoutMs of a script that is to time out */
export function workbenchFor(
  script: Script,
  workdir: string,
  python: string,
  pythonTimeoutMs: number,
  counts: Workbench['counts'],
): Workbench {
  const reading = readFile();
  const computing = runPython({ python, timeoutMs: pythonTimeoutMs, sandbox: 'none' });
  return {
    counts,
    tools: [
      { ...reading, run: (input, context) => read(input, context, reading, script, workdir) },
      {
        ...computing,
        run: (input, context) => {
          counts.processes += 1;
          return compute(input, context, computing, script, workdir);
        },
      },
      defineTool({
        name: 'delete_file',
        description: 'Deletes a file.',
        input: z.strictObject({ path: z.string() }),
        effects: 'some',
        run: async ({ path }) => {
          counts.deletions += 1;
          await rm(join(workdir, path), { force: true });
          return 'Deleted.';
        },
      }),
    ],
  };
}

async function read(
  input: unknown,
  context: ToolContext,
  tool: Tool,
  script: Script,
  workdir: string,
): Promise<string> {
  // The tool has parsed its input.
  const { path } = input as { readonly path: string };
  const call = runningCall(script, (fingerprint) => fileOf(fingerprint) === path);
  const end = endingOf(call, script);
  const file = join(workdir, path);
  if (end.kind === 'interrupted') return hang(call, script, context);
  if (end.kind === 'failed') await rm(file, { force: true });
  // Whose result it is can be seen in it.
  else await writeFile(file, `${call.fingerprint} `.padEnd(end.isHuge ? HUGE_BYTES : SMALL_BYTES, 'x'));
  return inTurn(call, end, script, context, () => tool.run(input, context));
}

/** Of a text that a small budget cannot carry on. */
export const HUGE_BYTES = 15_000;
export const SMALL_BYTES = 20;

async function compute(
  input: unknown,
  context: ToolContext,
  tool: Tool,
  script: Script,
  workdir: string,
): Promise<string> {
  // The tool has parsed its input.
  const letter = (input as { readonly code: string }).code.slice(-1);
  const call = runningCall(script, (fingerprint) => fingerprint === `ask ${letter}`);
  const end = endingOf(call, script);
  const isHanging = end.kind === 'interrupted' || end.kind === 'timed_out';
  const marker = join(workdir, MARKER);
  await rm(marker, { force: true });
  await writeFile(
    join(workdir, 'step.py'),
    STEPS[isHanging ? 'hangs' : end.kind === 'failed' ? 'failed' : 'succeeded'](letter),
  );
  if (!isHanging) return inTurn(call, end, script, context, () => tool.run(input, context));
  const running = tool.run(input, context);
  const over = running.then(
    () => true,
    () => true,
  );
  while (!context.signal.aborted && !(await exists(marker)))
    if (await Promise.race([over, pause(POLL_MS, false)])) break;
  if (end.kind === 'interrupted') await script.reach(`tool ${call.id}`);
  return running;
}

const POLL_MS = 5;

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The call that a tool is running: it knows its input only. */
export function runningCall(script: Script, matches: (fingerprint: string) => boolean): CallHead {
  const call = script.state.context.calls.find(
    ({ status, fingerprint }) => status === 'started' && matches(fingerprint),
  );
  if (call === undefined) throw new Error('A tool runs that the path has not started.');
  return call;
}

interface Ending {
  readonly kind: Finished['outcome']['kind'];
  readonly isHuge: boolean;
  /** The run is aborted before the call has ended. */
  readonly isAborted: boolean;
}

export function endingOf({ id }: CallHead, { ahead }: Script): Ending {
  const at = ahead.findIndex((fact) => fact.type === 'tool.finished' && fact.callId === id);
  const fact = ahead[at];
  if (fact?.type !== 'tool.finished') return { kind: 'interrupted', isHuge: false, isAborted: true };
  return {
    kind: fact.outcome.kind,
    isHuge: fact.promptCost.summary.tokens >= AMOUNTS.huge,
    isAborted: ahead.slice(0, at).some(({ type }) => type === 'run.aborted'),
  };
}

/** Runs the tool when its end is the next thing to happen. Beside an abort, the call ends at that very moment. */
export async function inTurn(
  call: CallHead,
  { isAborted }: Ending,
  script: Script,
  { signal }: ToolContext,
  run: () => Promise<string>,
): Promise<string> {
  if (isAborted) {
    await untilCutIsNext(call, script, signal);
    const content = await run();
    script.ended(call.id);
    if (isFirst(call, script)) {
      await script.untilEnded(endedBeside(script));
      const isDeadline = script.next?.type === 'run.aborted' && script.next.cause === 'deadline';
      void injectAfter(isDeadline ? TICKS_OF_DEADLINE : TICKS, script);
    }
    return content;
  }
  await script.reach(`tool ${call.id}`);
  for (;;) {
    const fact = await script.until(['tool.finished'], signal);
    if (fact === null || fact.callId === call.id) return run();
    await script.change(signal);
  }
}

const isFirst = ({ id }: Pick<CallHead, 'id'>, { state }: Script): boolean =>
  state.context.calls.find(({ status }) => status === 'started')?.id === id;

/** What comes before the abort, or the end of the process: results of earlier calls, and words of the user. */
async function untilCutIsNext(
  call: Pick<CallHead, 'id'>,
  script: Script,
  signal: AbortSignal,
): Promise<void> {
  while (!script.isCutNext && !signal.aborted) {
    if (script.next?.type === 'user.interjected' && isFirst(call, script)) script.injectNow();
    await script.change(signal);
  }
}

/** The toolbox must have seen the end of the call, the loop must not: both are counted in microtasks. */
const TICKS = 10;
const TICKS_OF_DEADLINE = 6;

async function injectAfter(ticks: number, script: Script): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
  script.injectNow();
}

/** Calls that are under way and succeed all the same. */
const endedBeside = (script: Script): readonly string[] =>
  script.state.context.calls
    .filter(({ status }) => status === 'started')
    .filter((call) => endingOf(call, script).kind === 'succeeded' && endingOf(call, script).isAborted)
    .map(({ id }) => id);

export async function hang({ id }: CallHead, script: Script, { signal }: ToolContext): Promise<string> {
  await untilCutIsNext({ id }, script, signal);
  const beside = endedBeside(script);
  await script.untilEnded(beside);
  // The first of the calls aborts, if it is one that ends by itself.
  if (beside.length === 0 || isFirst({ id }, script)) await script.reach(`tool ${id}`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return '';
}
