import type { PassedLimit, SandboxLimits } from '../../sandbox/index.ts';

/** What `run_python` says to the model. `output` is what the code printed, or `noOutput`. */
export interface RunPythonTexts {
  readonly exited: (exitCode: number, output: string) => string;
  readonly killed: (signal: string, output: string) => string;
  readonly timedOut: (seconds: number, output: string) => string;
  readonly overLimit: (limit: PassedLimit, limits: SandboxLimits, output: string) => string;
  /** Stands where output was left out. `isKept`: people have more of it, in a file. */
  readonly cut: (droppedBytes: number, isKept: boolean) => string;
  readonly noOutput: () => string;
  readonly notStarted: (reason: string) => string;
}

const leftOut = (bytes: number, isKept: boolean): string =>
  `${bytes} bytes left out here${isKept ? '; the person who runs you has more of it in a file' : ''}`;

export const bareRunPython: RunPythonTexts = {
  exited: (exitCode, output) => `Python ended with exit code ${exitCode}.\n\n${output}`,
  killed: (signal, output) => `Python was killed by ${signal}.\n\n${output}`,
  timedOut: (seconds, output) =>
    `Python was stopped at the time limit of ${seconds} s, with all that it had started. Until then:\n\n${output}`,
  overLimit: (limit, limits, output) => `${stoppedFor(limit, limits)} Until then:\n\n${output}`,
  cut: (droppedBytes, isKept) => `\n[${leftOut(droppedBytes, isKept)}]\n`,
  noOutput: () => '(no output)',
  notStarted: (reason) => `Python could not be started: ${reason}`,
};

export const instructiveRunPython: RunPythonTexts = {
  exited: (exitCode, output) =>
    `${bareRunPython.exited(exitCode, output)}\n\n` +
    'Correct the code and call run_python again. Nothing but files is kept between calls: send the whole code.',
  killed: (signal, output) =>
    `${bareRunPython.killed(signal, output)}\n\n${AFTER_KILL[signal] ?? 'Look for what in the code can cause this.'}`,
  timedOut: (seconds, output) =>
    `${bareRunPython.timedOut(seconds, output)}\n\n` +
    'Files may be half written. Call run_python with code that does less at a time, does not wait, and prints its progress.',
  overLimit: (limit, limits, output) =>
    `${bareRunPython.overLimit(limit, limits, output)}\n\n${AFTER_LIMIT[limit]}`,
  cut: (droppedBytes, isKept) =>
    `\n[${leftOut(droppedBytes, isKept)}. To see what matters, print less: a part, a count or a summary.]\n`,
  noOutput: bareRunPython.noOutput,
  notStarted: (reason) =>
    `${bareRunPython.notStarted(reason)}\n\nNone of the code ran. If this comes again, go on without run_python.`,
};

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;

function stoppedFor(limit: PassedLimit, limits: SandboxLimits): string {
  const over: Readonly<Record<PassedLimit, string>> = {
    memory: `more than ${megabytes(limits.memoryBytes)} of memory`,
    tasks: `more than ${limits.tasks} processes and threads`,
    disk: `more than ${megabytes(limits.diskBytes)} of files`,
    files: `more than ${limits.files} files`,
    output: `more than ${Math.round(limits.outputBytes / 1e6)} MB of output`,
  };
  return `Python was stopped with all that it had started: it had ${over[limit]}.`;
}

const AFTER_LIMIT: Readonly<Record<PassedLimit, string>> = {
  memory: 'Work on less data at a time.',
  tasks: 'Do the work in one process.',
  disk: 'Files may be half written. Write less, and remove what is not needed any more.',
  files: 'Put what belongs together into one file.',
  output: 'Print less: a part, a count or a summary.',
};

const AFTER_KILL: Readonly<Record<string, string>> = {
  SIGKILL: 'Often that is a lack of memory: work on less data at a time.',
  SIGXCPU: 'It had used up its CPU time: do less at a time.',
  SIGSEGV: 'The interpreter crashed, as endless recursion or a native library can cause. Try another way.',
};
