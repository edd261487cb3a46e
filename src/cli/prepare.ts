/** What a run needs, checked before anything is spent. */
import { resolve } from 'node:path';
import { editWith } from '../approval/editor.ts';
import type { Screen } from '../approval/screen.ts';
import { createTerminalApprover } from '../approval/terminal.ts';
import { approveAll, denyAll, failOnAsk, pauseOnAsk } from '../approval/unattended.ts';
import { UserError, messageOf } from '../errors.ts';
import { checkWritable } from '../journal/write-file.ts';
import type { Approver } from '../ports.ts';
import type { Redactor } from '../text/redact.ts';
import { visible } from '../text/visible.ts';
import type { Tool } from '../tools/define-tool.ts';
import { runPython } from '../tools/run-python.ts';
import { fileTools } from './file-tools.ts';
import type { Io } from './io.ts';
import type { RunOptions } from './options.ts';

/** @throws {UserError} when two flags contradict each other */
export function checkFlags({ yes, onAsk, quiet, verbose }: RunOptions): void {
  if (yes && onAsk !== undefined)
    throw new UserError('--yes and --on-ask contradict each other: with --yes nothing is asked.');
  if (quiet && verbose) throw new UserError('--quiet and --verbose contradict each other.');
}

/** @throws {UserError} when it could not be written where it is to be */
export async function checkTranscript(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  if (path === '-') throw new UserError('--transcript: - is no file. stdout can have --output json instead.');
  try {
    await checkWritable(path);
  } catch (error) {
    throw new UserError(`--transcript: ${visible(path)} cannot be written: ${visible(messageOf(error))}.`, {
      cause: error,
    });
  }
}

/** @throws {UserError} when a tool cannot work here */
export function toolsOf(options: RunOptions, io: Io, onOutputKept: (path: string) => void): readonly Tool[] {
  const tools = [...fileTools(options.tools)];
  if (options.tools.includes('run_python')) {
    const { python, sandbox = 'auto', workdirMode = 'ro', net } = options;
    tools.push(
      runPython({
        python,
        sandbox,
        workdirMode,
        network: net === 'allow',
        asRoot: options.asRoot === true || io.env['TURNSTILE_AS_ROOT'] === '1',
        scratchDir: resolve(options.stateDir, 'scratch'),
        timeoutMs: options.toolTimeout * 1_000,
        outputDir: resolve(options.stateDir, 'output'),
        env: io.env,
        onOutputKept,
      }),
    );
  }
  return tools;
}

export function approverOf(
  options: RunOptions,
  {
    screen,
    redact,
    tools,
  }: { readonly screen: Screen; readonly redact: Redactor; readonly tools: readonly Tool[] },
  io: Io,
): Approver {
  if (options.yes) return approveAll();
  if (options.onAsk === 'fail') return failOnAsk();
  if (options.onAsk === 'deny') return denyAll();
  if (whyNobody(options, io) !== null) return options.unattended === 'deny' ? denyAll() : pauseOnAsk();
  return createTerminalApprover({
    keyboard: io.stdin,
    screen,
    redact,
    edit: editWith(io.env),
    confinementOf: (name) => tools.find(({ definition }) => definition.name === name)?.confinement,
  });
}

/** Why nobody can be asked, or null. A task that came from stdin leaves nothing to type on. */
export function whyNobody({ onAsk }: RunOptions, { stdin, stderr }: Io): string | null {
  if (onAsk !== undefined) return `--on-ask ${onAsk}`;
  if (!stdin.isTTY) return 'stdin is no terminal';
  return stderr.isTTY ? null : 'stderr is no terminal';
}
