/** `turnstile resume RUN [MESSAGE]`: goes on with a run from its journal. */
import { createAgent } from '../agent.ts';
import type { LimitOptions } from '../agent-options.ts';
import { UserError } from '../errors.ts';
import { openJournal, type StoredJournal } from '../journal/file.ts';
import type { JournalHeader } from '../ports.ts';
import { lastHeader } from '../stored-run.ts';
import { visibleLine } from '../text/visible.ts';
import { timeLimitIn } from '../tools/run-python.ts';
import { verifyJournal, type Violation } from '../verify/index.ts';
import { findRun, type FoundRun } from './find-run.ts';
import { readAll, type Io } from './io.ts';
import { TOOL_NAMES, type ResumeRunOptions, type RunOptions } from './options.ts';
import { storedJournal } from './run-journal.ts';
import { keptBeside, withProjectFile } from './rules.ts';
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
  const found = await findRun(run, options.stateDir);
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

/** As a new run would have them: what is not said anew is the journal's. */
function optionsOf({ isOwn }: FoundRun, { lines }: StoredJournal, options: ResumeRunOptions): RunOptions {
  const header = lastHeader(lines);
  if (!isOwn) checkForeign(lines, options);
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
    tools: toolNamesOf(header),
    ...(options.price === undefined && price !== null && { price }),
  };
}

/** Others can have written it: it must hold together, and it says nothing of where tools may look. */
function checkForeign(lines: StoredJournal['lines'], { workdir }: ResumeRunOptions): void {
  if (workdir === undefined)
    throw new UserError(
      'This journal lies outside the state folder, so it grants nothing: name the folder that the tools may see (--workdir DIR). Allow rules and approvals in it do not count.',
    );
  // Where its process died, its last line is missing; nothing else may be.
  const isCut = lines.at(-1)?.type !== 'run.ended';
  const isMissingEnd = ({ line, invariant }: Violation): boolean =>
    isCut && line === lines.length && invariant === 6;
  const violation = verifyJournal(lines).find((found) => !isMissingEnd(found));
  if (violation !== undefined)
    throw new UserError(
      `This journal lies outside the state folder, and does not hold together. Line ${violation.line}: ${violation.message}`,
    );
}

function toolNamesOf({ tools }: JournalHeader): readonly string[] {
  const names = tools.map(({ name }) => name);
  const unknown = names.find((name) => !(TOOL_NAMES as readonly string[]).includes(name));
  if (unknown === undefined) return names;
  throw new UserError(
    `The run has a tool that the command has not: ${visibleLine(unknown)}. A program began it: go on with it there (agent.resume).`,
  );
}

/** In seconds. The model was told of it, so it stays. */
const toolTimeoutOf = ({ tools }: JournalHeader): number =>
  (timeLimitIn(tools.find(({ name }) => name === 'run_python')?.description ?? '') ?? 30_000) / 1_000;

interface Said {
  readonly options: ResumeRunOptions;
  readonly message: string | undefined;
  readonly tornBytes: number;
}

async function start(session: Session, { isOwn }: FoundRun, { options, message, tornBytes }: Said, io: Io) {
  const { screen, journal } = session;
  if (tornBytes > 0)
    screen.line(
      `The last line of the journal was torn (${tornBytes} bytes) and is left out: the run had not gone on from it.`,
    );
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
    isTrusted: isOwn,
  });
}

const limitsOf = ({ maxTurns, maxUsd, tokenBudget, timeout }: ResumeRunOptions): LimitOptions => ({
  ...(maxTurns !== undefined && { maxTurns }),
  ...(maxUsd !== undefined && { maxUsd }),
  ...(tokenBudget !== undefined && { tokenBudget }),
  ...(timeout !== undefined && { timeoutMs: timeout * 1_000 }),
});
