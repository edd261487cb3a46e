/** What a new run and one that goes on have in common: model, journal, screen, signals, and the report at the end. */
import type { AgentOptions } from '../agent-options.ts';
import type { AgentRun } from '../agent-run.ts';
import { createScreen, type Screen } from '../approval/screen.ts';
import { UserError, messageOf } from '../errors.ts';
import { serveInspection, type InspectServer } from '../inspect/server.ts';
import { isFact } from '../journal/lines.ts';
import { keyFolder } from '../journal/own.ts';
import { transcriptOf } from '../journal/transcript.ts';
import { writeWhole } from '../journal/write-file.ts';
import type { Confinement, JournalLine, Model } from '../ports.ts';
import { createRedactor, secretsOf, type Redactor } from '../text/redact.ts';
import { visible } from '../text/visible.ts';
import { colorsFor } from './colors.ts';
import { environmentWith, readDotenv } from './environment.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { explain } from './explain.ts';
import { goOnLine } from './go-on.ts';
import type { Io } from './io.ts';
import { summaryLine, waysToAllow } from './lines.ts';
import { follow } from './live.ts';
import { masked, maskedEvents } from './masked.ts';
import { openModel, type OpenModel } from './model.ts';
import type { RunOptions } from './options.ts';
import { approverOf, checkFlags, checkTranscript, toolsOf, whyNobody } from './prepare.ts';
import { ruleWarnings, rulesFor } from './rules.ts';
import { createReporter, type Reporter } from './report.ts';
import type { RunJournal } from './run-journal.ts';
import { watchSignals } from './signals.ts';
import { isInForeground, listenForLines, type TypedLines } from './typed-lines.ts';

export interface Session {
  readonly options: RunOptions;
  readonly model: Model;
  readonly journal: RunJournal;
  readonly screen: Screen;
  readonly redact: Redactor;
  readonly inspection: InspectServer | null;
  /** Null where nobody types. */
  readonly typed: TypedLines | null;
}

export interface Plan {
  readonly options: RunOptions;
  readonly openJournal: (onLine: (line: JournalLine) => void) => RunJournal;
  /** @throws {UserError} for what is wrong before anything is spent */
  readonly start: (session: Session) => Promise<AgentRun>;
  /** Instead of the one that the options name. */
  readonly openModel?: (() => Promise<OpenModel>) | undefined;
  /** Options that let a call of a tool run, where the command has not all of them. */
  readonly waysOn?: typeof waysToAllow | undefined;
}

const ignore = (): void => undefined;

const ANSWER = /^([yneaq]|yes|no)$/i;

/**
 * Runs a plan and reports on it.
 * @returns the exit code
 * @throws {UserError} for what is wrong before anything is spent
 */
export async function runPlan(plan: Plan, io: Io): Promise<number> {
  const { options } = plan;
  checkFlags(options);
  await checkTranscript(options.transcript);
  const dotenv = await readDotenv(options.dotenv ?? options.envFile);
  const env = environmentWith(dotenv, io.env);
  // Also what is not used of the file: it may stand in the workspace.
  const { baseUrl } = options;
  const redact = createRedactor([dotenv, io.env, { baseUrl }].flatMap(secretsOf));
  const opened = await (plan.openModel?.() ?? openModel(options, env, redact));
  try {
    const reporter = createReporter(options.output, io, redact);
    const journal = plan.openJournal((line) => reporter.line(line));
    const past = journal.lines.filter(isFact);
    const inspection = options.inspect === true ? await serveInspection() : null;
    const screen = createScreen(io.stderr);
    let say: (line: string) => void = ignore;
    const typed =
      whyNobody(options, io) === null && isInForeground()
        ? listenForLines(io.stdin, (line) => say(line))
        : null;
    const session = { options, model: opened.model, journal, screen, redact, inspection, typed };
    try {
      const run = await plan.start(session);
      say = (line) => {
        // Typed too late for a question, or too early for the next one.
        if (ANSWER.test(line)) screen.line(`Nothing is being asked, so "${visible(line)}" is not heard.`);
        else run.interject(line);
      };
      return await report({ ...session, run, past, reporter, plan }, io);
    } finally {
      typed?.stop();
      inspection?.close();
      await journal.close();
    }
  } finally {
    await opened.close();
  }
}

/** What an agent of the command always has. */
export async function agentOptionsOf(
  { options, model, journal, screen, redact, inspection, typed }: Session,
  io: Io,
): Promise<AgentOptions> {
  if (options.maxUsd !== undefined && model.price === null) {
    throw new UserError(
      `The price of ${visible(model.id)} is not known, so --max-usd cannot be kept. Give its price (--price in=…,out=…), or a budget in tokens (--token-budget N).`,
    );
  }
  const tools = toolsOf(options, io, (path) => {
    if (!options.quiet) screen.line(`The whole output is in ${path}`);
  });
  const definitions = tools.map(({ definition }) => definition);
  for (const warning of ruleWarnings(options, definitions)) screen.line(redact(warning));
  const confinement = tools.find((tool) => tool.confinement !== undefined)?.confinement;
  if (options.yes && confinement?.sandbox === 'none') screen.line(UNCONFINED);
  if (confinement?.instead && !options.quiet) screen.line(fallback(confinement));
  if (inspection) screen.line(`Watch it at ${inspection.url} (the page there is drawn by stately.ai)`);
  const approver = approverOf(options, { screen, redact, tools }, io);
  return {
    model,
    tools,
    rules: rulesFor(options, definitions),
    approveAll: options.yes === true,
    approve: typed?.around(approver) ?? approver,
    journal,
    hidden: [options.stateDir, keyFolder(io.env)],
    redact,
    ...(inspection && { inspect: inspection.inspect }),
  };
}

const UNCONFINED =
  'Warning: --yes approves all code, and --sandbox none lets it read and change what you can.';

const fallback = ({ sandbox, instead }: Confinement): string =>
  `Sandbox: ${sandbox}, which hides less than the stronger one (docs/security.md). ${visible(instead ?? '')}`;

interface Report extends Session {
  readonly run: AgentRun;
  readonly past: Parameters<typeof follow>[2]['past'];
  readonly reporter: Reporter;
  readonly plan: Plan;
}

/** Shows the run while it works, then says what came of it. */
async function report(
  { run, past, journal, options, screen, reporter, redact, plan }: Report,
  io: Io,
): Promise<number> {
  const signals = watchSignals(run, (text) => screen.line(text));
  // Where stdout goes elsewhere it has the answer, and may come back to the same terminal (`| cat`).
  const isTerminal = io.stderr.isTTY === true && io.stdout.isTTY === true;
  const live = follow(maskedEvents(run, redact), options.maxTurns, {
    past: masked(past, redact),
    screen,
    colors: colorsFor(options.color, io.env, io.stderr),
    isTerminal,
    isQuiet: options.quiet === true,
    isVerbose: options.verbose === true,
    nobody: whyNobody(options, io),
    waysOn: plan.waysOn ?? waysToAllow,
  });
  // A demo's model is gone when it ends.
  const goOn = (result: Parameters<typeof goOnLine>[0]): void => {
    const line = plan.openModel === undefined ? goOnLine(result, journal.lines, options.stateDir) : null;
    if (line !== null) screen.line(line);
  };
  try {
    const result = await run.result;
    await live;
    const isKept = await keepTranscript(options, journal, screen, redact);
    const code = isKept ? exitCodeOf(result, signals.received()) : EXIT.internal;
    const why = explain(...masked([result, journal.lines] as const, redact));
    if (why !== null) screen.line(`turnstile: ${why}`);
    goOn(result);
    if (!options.quiet) screen.line(redact(summaryLine(result, options)));
    await reporter.result(result, code, {
      lines: journal.lines,
      wasStreamed: isTerminal && !options.quiet,
    });
    return code;
  } catch (error) {
    // What is known is kept, however the run ended.
    if (journal.lines.length > 0) {
      await keepTranscript(options, journal, screen, redact);
      goOn(null);
    }
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
  redact: Redactor,
): Promise<boolean> {
  if (transcript === undefined) return true;
  try {
    await writeWhole(transcript, `${JSON.stringify(masked(transcriptOf(lines), redact), null, 2)}\n`);
    return true;
  } catch (error) {
    screen.line(
      `turnstile: the transcript ${visible(transcript)} could not be written: ${visible(messageOf(error))}. The journal of the run has everything.`,
    );
    return false;
  }
}
