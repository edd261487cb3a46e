/** `turnstile resume RUN [MESSAGE]`: goes on with a run from its journal. */
import { createAgent } from '../agent.ts';
import type { LimitOptions } from '../agent-options.ts';
import { systemClock } from '../clock.ts';
import { UserError } from '../errors.ts';
import { forkedLines } from '../fork.ts';
import { openJournal, type StoredJournal } from '../journal/file.ts';
import { readJournal } from '../journal/read.ts';
import type { JournalHeader } from '../ports.ts';
import { newRunId } from '../run-id.ts';
import { lastHeader } from '../stored-run.ts';
import { visibleLine } from '../text/visible.ts';
import { timeLimitIn } from '../tools/run-python.ts';
import { verifyJournal, type Violation } from '../verify/index.ts';
import { findRun, foreignness } from './find-run.ts';
import { keepFork, ownPath } from './fork.ts';
import { readAll, writeAll, type Io } from './io.ts';
import { TOOL_NAMES } from './option-values.ts';
import type { ResumeRunOptions, RunOptions } from './options.ts';
import { toolsOf } from './prepare.ts';
import { storedJournal } from './run-journal.ts';
import { systemText } from './execute.ts';
import { keptBeside, withProjectFile } from './rules.ts';
import { warnOfHome } from './home.ts';
import { agentOptionsOf, runPlan, type Session } from './session.ts';

export interface Resumption {
  readonly run: string;
  readonly message?: string;
  readonly options: ResumeRunOptions;
}

/**
 * @returns the exit code
 * @throws {UserError} for what is wrong before anything is spent
 */
export async function resume({ run, message: given, options: said }: Resumption, io: Io): Promise<number> {
  const options = await withProjectFile(said, { withLimits: false, env: io.env });
  if (options.fork !== true && (options.tools ?? options.system) !== undefined)
    throw new UserError(
      'Tools and system text of a run stay as they are. With --fork a new run goes on with others.',
    );
  const found = await (options.fork === true ? forkOf(run, options, io) : journalOf(run, options, io));
  const journal = await openJournal(found.path, { durability: options.durability ?? 'full' });
  try {
    const message = given === '-' ? await readAll(io.stdin) : given;
    const words = { options, message, tornBytes: journal.tornBytes };
    return await runPlan(
      {
        options: optionsOf(found, journal, options),
        openJournal: (onLine) => storedJournal(journal, onLine),
        start: async (session) => start(session, found, words, io),
      },
      io,
    );
  } finally {
    await journal.close();
  }
}

interface RunToGoOn {
  readonly path: string;
  /** Why others could have written its journal; null for one of one's own. */
  readonly foreign: string | null;
}

async function journalOf(run: string, { stateDir }: ResumeRunOptions, { env }: Io): Promise<RunToGoOn> {
  const found = await findRun(run, stateDir);
  return { path: found.path, foreign: await foreignness(found, env) };
}

/** A new run with all that was recorded, the tools as they are now and without thoughts, which are bound to those of then. */
async function forkOf(run: string, options: ResumeRunOptions, io: Io): Promise<RunToGoOn> {
  const lines = await readJournal(await ownPath(run, options.stateDir, io));
  const tools = toolsOf(optionsOf({ foreign: null }, { lines }, options), io, () => undefined);
  const runId = newRunId();
  const forked = forkedLines(lines, {
    runId,
    at: systemClock.date(),
    tools: tools.map(({ definition }) => definition),
    ...(options.system !== undefined && { system: await systemText(options.system) }),
  });
  const path = await keepFork(forked, runId, options.stateDir, io);
  if (options.quiet !== true) await writeAll(io.stderr, `The run goes on as ${runId}.\n`);
  return { path, foreign: null };
}

/** As a new run would have them: what is not said anew is the journal's. */
function optionsOf(
  { foreign }: Pick<RunToGoOn, 'foreign'>,
  { lines }: Pick<StoredJournal, 'lines'>,
  options: ResumeRunOptions,
): RunOptions {
  const header = lastHeader(lines);
  const isOwn = foreign === null;
  if (!isOwn) checkForeign(foreign, lines, options);
  const { price = null } = isOwn && options.model === undefined ? header : {};
  return {
    ...options,
    workdir: options.workdir ?? header.workdir ?? '.',
    model: options.model ?? header.model,
    effort: header.effort ?? 'none',
    maxTurns: options.maxTurns ?? header.limits.maxTurns,
    onLimit: header.onLimit,
    maxTokens: header.maxTokens,
    toolTimeout: toolTimeoutOf(header),
    tools: options.tools ?? toolNamesOf(header),
    ...confinementOf(isOwn, header, options),
    ...(options.price === undefined && price !== null && { price }),
  };
}

/** Others can have written it: it must hold together, and it says nothing of where tools may look. */
function checkForeign(foreign: string, lines: StoredJournal['lines'], { workdir }: ResumeRunOptions): void {
  if (workdir === undefined)
    throw new UserError(
      `${foreign}, so it grants nothing: name the folder that the tools may see (--workdir DIR). Allow rules and approvals in it do not count.`,
    );
  // Where its process died, its last line is missing; nothing else may be.
  const isCut = lines.at(-1)?.type !== 'run.ended';
  const isMissingEnd = ({ line, invariant }: Violation): boolean =>
    isCut && line === lines.length && invariant === 6;
  const violation = verifyJournal(lines).find((found) => !isMissingEnd(found));
  if (violation !== undefined)
    throw new UserError(
      `${foreign}, and does not hold together. Line ${violation.line}: ${violation.message}`,
    );
}

function toolNamesOf({ tools }: JournalHeader): readonly string[] {
  const names = tools.map(({ name }) => name);
  const unknown = names.find((name) => !(TOOL_NAMES as readonly string[]).includes(name));
  if (unknown === undefined) return names;
  throw new UserError(
    `The run has a tool that the command has not: ${visibleLine(unknown)}. A program began it: go on with it there (agent.resume), or name tools of the command: --fork --tools LIST.`,
  );
}

/** What the model was told of the sandbox stays. What lets code do more than usual is said again, or comes from a journal of one's own. */
function confinementOf(
  isOwn: boolean,
  { confinements }: JournalHeader,
  { sandbox, workdirMode, net, fork }: ResumeRunOptions,
): Pick<RunOptions, 'sandbox' | 'workdirMode' | 'net'> {
  const before = confinements?.['run_python'];
  const isKept = isOwn && before !== undefined && before.sandbox !== 'none';
  if (before?.sandbox === 'none' && sandbox !== 'none' && fork !== true)
    throw new UserError(
      'The run began without a sandbox (--sandbox none). Say so again, or go on in a new run that has one: --fork',
    );
  return {
    sandbox: sandbox ?? 'auto',
    workdirMode: workdirMode ?? (isKept ? before.workdir : 'ro'),
    net: net ?? (isKept && before.network ? 'allow' : 'none'),
  };
}

/** In seconds. The model was told of it, so it stays. */
const toolTimeoutOf = ({ tools }: JournalHeader): number =>
  (timeLimitIn(tools.find(({ name }) => name === 'run_python')?.description ?? '') ?? 30_000) / 1_000;

interface Said {
  readonly options: ResumeRunOptions;
  readonly message: string | undefined;
  readonly tornBytes: number;
}

async function start(
  session: Session,
  { foreign }: RunToGoOn,
  { options, message, tornBytes }: Said,
  io: Io,
) {
  const { screen, journal } = session;
  if (tornBytes > 0)
    screen.line(
      `The last line of the journal was torn (${tornBytes} bytes) and is left out: the run had not gone on from it.`,
    );
  warnOfHome(session.options.workdir, screen);
  const agentOptions = await agentOptionsOf(session, io);
  const kept = keptBeside(lastHeader(journal.lines).rules, options);
  const agent = createAgent({
    ...agentOptions,
    rules: [...kept, ...(agentOptions.rules ?? [])],
    workdir: session.options.workdir,
  });
  return agent.resume(journal.lines, {
    ...(message !== undefined && { message }),
    limits: limitsOf(options),
    isTrusted: foreign === null,
  });
}

const limitsOf = ({ maxTurns, maxUsd, tokenBudget, timeout }: ResumeRunOptions): LimitOptions => ({
  ...(maxTurns !== undefined && { maxTurns }),
  ...(maxUsd !== undefined && { maxUsd }),
  ...(tokenBudget !== undefined && { tokenBudget }),
  ...(timeout !== undefined && { timeoutMs: timeout * 1_000 }),
});
