import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import type { Confinement } from '../ports.ts';
import { DEFAULT_SANDBOX_LIMITS } from '../sandbox/index.ts';
import { defineTool, MAX_OUTPUT_CHARACTERS, ToolError, type Tool, type ToolContext } from './define-tool.ts';
import { inPrivateFolder } from './private-folder.ts';
import { placeOf, type PlaceOptions, type PythonPlace } from './python-place.ts';
import { runProcess, type Environment, type ProcessEnd } from './process.ts';
import { PythonOutput, shownBytes } from './python-output.ts';
import { ToolTimeout } from './tool-timeout.ts';

export interface RunPythonOptions extends PlaceOptions {
  /** From the start of the process, in milliseconds, above 0. Default 30,000. */
  readonly timeoutMs?: number;
  /** What the model gets to see of the output, above 0; notes come on top. Default 20,000, and 29,000 at most. */
  readonly maxOutputBytes?: number;
  /**
   * A folder outside the workdir. Output that was cut is kept whole there, up to 64 MB a call, for people: secrets
   * masked, as `RUN-CALL.txt`. The call's `tool.finished` names the file.
   */
  readonly outputDir?: string;
  /** Told of each file in `outputDir`. */
  readonly onOutputKept?: (path: string) => void;
  /** Where the interpreter's environment is picked from. Default `process.env`. */
  readonly env?: Environment;
}

/** The tool's own limit comes first; the toolbox's is for when that one fails. */
const BACKSTOP_MS = 5_000;
const REPORT_EVERY_MS = 250;
/**
 * Runs Python code in a fresh process, in a sandbox. Which one works is tried here, once for each process.
 * @throws {TypeError} when a number is none, not above 0 or not finite
 * @throws {UserError} when there is no Python, or no sandbox for it
 */
export function runPython(options: RunPythonOptions = {}): Tool {
  const { timeoutMs = 30_000, maxOutputBytes = 20_000, env = process.env } = options;
  checkPositive('timeoutMs', timeoutMs);
  checkPositive('maxOutputBytes', maxOutputBytes);
  const place = placeOf(options, timeoutMs, env);
  const settings = { ...options, timeoutMs, maxOutputBytes, place };
  return defineTool({
    name: 'run_python',
    description: describe(place.confinement, timeoutMs, shownBytes(maxOutputBytes, MAX_OUTPUT_CHARACTERS)),
    input: z.strictObject({
      code: z.string().describe('Python 3 source code. It sees nothing of earlier calls but files.'),
    }),
    effects: 'some',
    timeoutMs: timeoutMs + BACKSTOP_MS,
    confinement: place.confinement,
    setUp: place.setUp,
    run: ({ code }, context) =>
      inPrivateFolder((folder) => runCode(code, folder, settings, context)).finally(() =>
        place.leave(context),
      ),
  });
}

/** The time limit that a description of the tool tells, in milliseconds: a run that goes on keeps it. */
export function timeLimitIn(description: string): number | null {
  const [, limit] = /After (\d+(?:\.\d+)?) seconds the process is stopped/.exec(description) ?? [];
  return limit === undefined ? null : Number(limit) * 1_000;
}

function checkPositive(name: string, value: unknown): void {
  if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return;
  throw new TypeError(`run_python: ${name} is a finite number above 0, not ${String(value)}.`);
}

interface Settings extends RunPythonOptions {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly place: PythonPlace;
}

const describe = (confinement: Confinement, timeoutMs: number, maxOutputBytes: number): string =>
  `Runs Python 3 code in a new process and returns what it printed. ${mayDo(confinement)} Only files are kept between calls, and there is ` +
  `no input to read. After ${timeoutMs / 1_000} seconds the process is stopped; nothing it started outlives the call. Of more than ` +
  `${maxOutputBytes} bytes of output, you see the start and the end.`;

function mayDo({ sandbox, workdir, network }: Confinement): string {
  if (sandbox === 'none') {
    return 'Use it to compute, to work on data and to write files. The current folder is the workspace.';
  }
  const files =
    workdir === 'ro'
      ? 'which code can read and not change: it writes files to the folder os.environ["SCRATCH"].'
      : 'which code can read and change. Files that are not part of the work go to the folder os.environ["SCRATCH"].';
  const rest = network ? 'It has the network.' : 'It has no network.';
  return `Use it to compute and to work on data. It runs in a sandbox: the current folder is the workspace, ${files} ${rest}`;
}

async function runCode(
  code: string,
  folder: string,
  settings: Settings,
  context: ToolContext,
): Promise<string> {
  const { signal, texts } = context;
  // Neither an argument, which has a size limit, nor a shell, which would read it.
  const script = join(folder, 'code.py');
  await writeFile(script, code, { mode: 0o600 });
  const started = await settings.place.start(script, folder, context);
  const output = new PythonOutput(settings, context);
  const stopReporting = reportRegularly(() => context.report(output.text()), signal);
  try {
    const end = await runProcess({
      ...started,
      timeoutMs: settings.timeoutMs,
      signal,
      onOutput: (stream, chunk) => output.append(stream, chunk),
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new ToolError(texts.runPython.notStarted(messageOf(error)), { cause: error });
    });
    output.end();
    return conclude(end, output.text(), settings, context);
  } finally {
    output.end();
    stopReporting();
    const path = output.close();
    if (path !== null) {
      context.noteOutputFile(basename(path));
      settings.onOutputKept?.(path);
    }
  }
}

/** Now and then, as soon as `signal` fires, and at the end: whoever cuts the call short has what there was. */
function reportRegularly(report: () => void, signal: AbortSignal): () => void {
  const timer = setInterval(report, REPORT_EVERY_MS);
  signal.addEventListener('abort', report);
  return () => {
    clearInterval(timer);
    signal.removeEventListener('abort', report);
    report();
  };
}

function conclude(
  ended: ProcessEnd,
  output: string,
  { timeoutMs, place: { limits, confinement } }: Settings,
  { texts, signal }: ToolContext,
): string {
  const end = confinement.sandbox === 'bubblewrap' ? unwrapped(ended) : ended;
  switch (end.kind) {
    case 'exited':
      if (end.exitCode === 0) return output;
      throw new ToolError(texts.runPython.exited(end.exitCode, output));
    case 'killed':
      throw new ToolError(texts.runPython.killed(end.signal, output));
    case 'timed_out':
      throw new ToolTimeout(texts.runPython.timedOut(timeoutMs / 1_000, output), timeoutMs);
    case 'over_limit':
      throw new ToolError(texts.runPython.overLimit(end.limit, limits ?? DEFAULT_SANDBOX_LIMITS, output));
    case 'aborted':
      throw signal.reason;
    default:
      return end satisfies never;
  }
}

/** bubblewrap says 128 + the signal of what it ran. */
function unwrapped(end: ProcessEnd): ProcessEnd {
  if (end.kind !== 'exited' || end.exitCode <= 128) return end;
  const [name] = Object.entries(constants.signals).find(([, number]) => number === end.exitCode - 128) ?? [];
  return name === undefined ? end : { kind: 'killed', signal: name };
}
