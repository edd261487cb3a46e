import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import { defineTool, MAX_OUTPUT_CHARACTERS, ToolError, type Tool, type ToolContext } from './define-tool.ts';
import { findPython, type Python } from './find-python.ts';
import { inPrivateFolder } from './private-folder.ts';
import { runProcess, type Environment, type ProcessEnd } from './process.ts';
import { PythonOutput, shownBytes } from './python-output.ts';
import { ToolTimeout } from './tool-timeout.ts';

export { findPython } from './find-python.ts';

export interface RunPythonOptions {
  /** The interpreter. Default: what `findPython` finds at the first call. */
  readonly python?: string;
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
 * Isolated from user settings and the current folder, unbuffered (what was printed must survive a kill), no `.pyc`
 * files, UTF-8. `-I` makes the interpreter blind to `PYTHON…` variables: those are for the ones it starts.
 */
const FLAGS = ['-I', '-u', '-B', '-X', 'utf8'];

/**
 * Runs Python code in a fresh process. It is no sandbox: the code can do what the user can do.
 * @throws {TypeError} when a number is none, not above 0 or not finite
 */
export function runPython(options: RunPythonOptions = {}): Tool {
  const { timeoutMs = 30_000, maxOutputBytes = 20_000, env = process.env } = options;
  checkPositive('timeoutMs', timeoutMs);
  checkPositive('maxOutputBytes', maxOutputBytes);
  let found: Python | null = null;
  const locate = async (): Promise<string | undefined> => {
    if (options.python !== undefined) return options.python;
    found ??= await findPython(env);
    return found?.path;
  };
  const settings = { ...options, timeoutMs, maxOutputBytes, env, locate };
  return defineTool({
    name: 'run_python',
    description: describe(timeoutMs, shownBytes(maxOutputBytes, MAX_OUTPUT_CHARACTERS)),
    input: z.strictObject({
      code: z.string().describe('Python 3 source code. It sees nothing of earlier calls but files.'),
    }),
    effects: 'some',
    timeoutMs: timeoutMs + BACKSTOP_MS,
    run: ({ code }, context) => inPrivateFolder((folder) => runCode(code, folder, settings, context)),
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
  readonly env: Environment;
  readonly locate: () => Promise<string | undefined>;
}

const describe = (timeoutMs: number, maxOutputBytes: number): string =>
  'Runs Python 3 code in a new process and returns what it printed. Use it to compute, to work on data and to write ' +
  'files. The current folder is the workspace. Only files are kept between calls, and there is no input to read. ' +
  `After ${timeoutMs / 1_000} seconds the process is stopped; nothing it started outlives the call. Of more than ` +
  `${maxOutputBytes} bytes of output, you see the start and the end.`;

async function runCode(
  code: string,
  folder: string,
  settings: Settings,
  context: ToolContext,
): Promise<string> {
  const { workdir, signal, texts, tools } = context;
  const command = await settings.locate();
  if (command === undefined) throw new ToolError(texts.runPython.noPython(tools));
  // Neither an argument, which has a size limit, nor a shell, which would read it.
  const script = join(folder, 'code.py');
  await writeFile(script, code, { mode: 0o600 });
  const output = new PythonOutput(settings, context);
  const stopReporting = reportRegularly(() => context.report(output.text()), signal);
  try {
    const end = await runProcess({
      command,
      args: [...FLAGS, script],
      cwd: workdir,
      env: environmentFor(folder, settings.env),
      timeoutMs: settings.timeoutMs,
      signal,
      onOutput: (stream, chunk) => output.append(stream, chunk),
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new ToolError(texts.runPython.notStarted(messageOf(error)), { cause: error });
    });
    output.end();
    return conclude(end, output.text(), settings.timeoutMs, context);
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
  end: ProcessEnd,
  output: string,
  timeoutMs: number,
  { texts, signal }: ToolContext,
): string {
  switch (end.kind) {
    case 'exited':
      if (end.exitCode === 0) return output;
      throw new ToolError(texts.runPython.exited(end.exitCode, output));
    case 'killed':
      throw new ToolError(texts.runPython.killed(end.signal, output));
    case 'timed_out':
      throw new ToolTimeout(texts.runPython.timedOut(timeoutMs / 1_000, output), timeoutMs);
    case 'aborted':
      throw signal.reason;
    default:
      return end satisfies never;
  }
}

const ALLOWED = /^(PATH|LANG|LC_.*|TZ|SYSTEMROOT)$/i;

/**
 * An allow list, so that no key or token is handed on. Code can still read the environment of this process from
 * `/proc`: only a sandbox would stop that, and until then masking known secrets in the output is what there is.
 */
function environmentFor(folder: string, env: Environment): Environment {
  const allowed = Object.entries(env).filter(([name]) => ALLOWED.test(name));
  return {
    ...Object.fromEntries(allowed),
    HOME: folder,
    TMPDIR: folder,
    PYTHONIOENCODING: 'utf-8',
    PYTHONDONTWRITEBYTECODE: '1',
  };
}
