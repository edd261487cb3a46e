/** One run of the command, from its options to its exit code. */
import { readFile } from 'node:fs/promises';
import { createAgent } from '../agent.ts';
import type { AgentRun } from '../agent-run.ts';
import { createScreen, type Screen } from '../approval/screen.ts';
import { UserError, messageOf } from '../errors.ts';
import { serveInspection, type InspectServer } from '../inspect/server.ts';
import { transcriptOf } from '../journal/transcript.ts';
import { writeWhole } from '../journal/write-file.ts';
import type { Model } from '../ports.ts';
import { createRedactor, redactJson, secretsOf } from '../text/redact.ts';
import { visible } from '../text/visible.ts';
import { folderOf } from '../workdir.ts';
import { colorsFor } from './colors.ts';
import { environmentWith, readDotenv } from './environment.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { explain } from './explain.ts';
import { readAll, type Io } from './io.ts';
import { summaryLine } from './lines.ts';
import { follow } from './live.ts';
import { openModel, type OpenModel } from './model.ts';
import type { RunOptions } from './options.ts';
import { approverOf, checkFlags, checkTranscript, rulesOf, toolsOf, whyNobody } from './prepare.ts';
import { createReporter, type Reporter } from './report.ts';
import { openJournal, type RunJournal } from './run-journal.ts';
import { watchSignals } from './signals.ts';

export interface Execution {
  readonly task: string;
  readonly options: RunOptions;
  /** Instead of the one that the options name. */
  readonly openModel?: () => Promise<OpenModel>;
  /** Options that let a call of a tool run, where the command has not all of them. */
  readonly waysOn?: (tool: string) => string;
}

const anyTool = (tool: string): string => `--yes, or --allow ${tool}`;

/**
 * Runs a task and reports on it.
 * @returns the exit code
 * @throws {UserError} for what is wrong before anything is spent
 */
export async function execute(execution: Execution, io: Io): Promise<number> {
  const { options } = execution;
  checkFlags(options);
  await checkTranscript(options.transcript);
  const dotenv = await readDotenv(options.dotenv ?? options.envFile);
  const env = environmentWith(dotenv, io.env);
  // Also what is not used of the file: it may stand in the workspace.
  const redact = createRedactor([...secretsOf(dotenv), ...secretsOf(io.env)]);
  const screen = createScreen(io.stderr);
  const task = execution.task === '-' ? await readAll(io.stdin) : execution.task;
  if (task.trim() === '') throw new UserError('The task is blank. Say what is to be done, in quotes.');
  const opened = await (execution.openModel?.() ?? openModel(options, env, redact));
  try {
    const reporter = createReporter(options.output, io, redact);
    const journal = openJournal(options.stateDir, (line) => reporter.line(line));
    const inspection = options.inspect === true ? await serveInspection() : null;
    try {
      const run = await start(
        { task, options, model: opened.model, journal, screen, redact, inspection },
        io,
      );
      return await report(
        { run, journal, options, screen, reporter, redact, waysOn: execution.waysOn ?? anyTool },
        io,
      );
    } finally {
      inspection?.close();
      await journal.close();
    }
  } finally {
    await opened.close();
  }
}

interface Start {
  readonly task: string;
  readonly options: RunOptions;
  readonly model: Model;
  readonly journal: RunJournal;
  readonly screen: Screen;
  readonly redact: (text: string) => string;
  readonly inspection: InspectServer | null;
}

async function start(
  { task, options, model, journal, screen, redact, inspection }: Start,
  io: Io,
): Promise<AgentRun> {
  if (options.maxUsd !== undefined && model.price === null) {
    throw new UserError(
      `The price of ${visible(model.id)} is not known, so --max-usd cannot be kept. Give its price (--price in=…,out=…), or a budget in tokens (--token-budget N).`,
    );
  }
  const workdir = folderOf(options.workdir, '--workdir');
  const tools = await toolsOf(options, io, (path) => {
    if (!options.quiet) screen.line(`The whole output is in ${path}`);
  });
  const agent = createAgent({
    model,
    tools,
    workdir,
    ...(options.system !== undefined && { system: await systemText(options.system) }),
    effort: options.effort === 'none' ? null : options.effort,
    maxTokens: options.maxTokens,
    limits: {
      maxTurns: options.maxTurns,
      maxUsd: options.maxUsd ?? null,
      tokenBudget: options.tokenBudget ?? null,
      timeoutMs: options.timeout === undefined ? null : options.timeout * 1_000,
    },
    onLimit: options.onLimit,
    rules: rulesOf(options),
    approveAll: options.yes === true,
    approve: approverOf(options, screen, io),
    journal,
    hidden: [options.stateDir],
    redact,
    ...(inspection && { inspect: inspection.inspect }),
  });
  if (options.yes && options.tools.includes('run_python')) screen.line(UNCONFINED);
  if (inspection) screen.line(`Watch it at ${inspection.url} (the page there is drawn by stately.ai)`);
  return agent.start(task);
}

const UNCONFINED =
  'Warning: --yes approves all code, and python runs unconfined: it can read and change what you can.';

async function systemText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UserError(`Cannot read the file of --system: ${messageOf(error)}`, { cause: error });
  }
}

interface Report {
  readonly run: AgentRun;
  readonly journal: RunJournal;
  readonly options: RunOptions;
  readonly screen: Screen;
  readonly reporter: Reporter;
  readonly redact: (text: string) => string;
  readonly waysOn: (tool: string) => string;
}

/** Shows the run while it works, then says what came of it. */
async function report(
  { run, journal, options, screen, reporter, redact, waysOn }: Report,
  io: Io,
): Promise<number> {
  const signals = watchSignals(run, (text) => screen.line(text));
  // Where stdout goes elsewhere it has the answer, and may come back to the same terminal (`| cat`).
  const isTerminal = io.stderr.isTTY === true && io.stdout.isTTY === true;
  const live = follow(run, options.maxTurns, {
    screen,
    colors: colorsFor(options.color, io.env, io.stderr),
    isTerminal,
    isQuiet: options.quiet === true,
    isVerbose: options.verbose === true,
    nobody: whyNobody(options, io),
    waysOn,
  });
  try {
    const result = await run.result;
    await live;
    const isKept = await keepTranscript(options, journal, screen, redact);
    const code = isKept ? exitCodeOf(result, signals.received()) : EXIT.internal;
    const why = explain(result, journal.lines);
    if (why !== null) screen.line(`turnstile: ${why}`);
    if (!options.quiet) screen.line(summaryLine(result, options));
    await reporter.result(result, code, {
      lines: journal.lines,
      wasStreamed: isTerminal && !options.quiet,
    });
    return code;
  } catch (error) {
    // What is known is kept, however the run ended.
    if (journal.lines.length > 0) await keepTranscript(options, journal, screen, redact);
    throw error;
  } finally {
    signals.stop();
  }
}

/** @returns false when it could not be written; that is said, and takes nothing else away from the run */
async function keepTranscript(
  { transcript }: RunOptions,
  { lines }: RunJournal,
  screen: Screen,
  redact: Report['redact'],
): Promise<boolean> {
  if (transcript === undefined) return true;
  try {
    await writeWhole(transcript, `${JSON.stringify(redactJson(transcriptOf(lines), redact), null, 2)}\n`);
    return true;
  } catch (error) {
    screen.line(
      `turnstile: the transcript ${visible(transcript)} could not be written: ${visible(messageOf(error))}. The journal of the run has everything.`,
    );
    return false;
  }
}
