/** `turnstile approve` and `turnstile deny`: decisions about a run that waits, from another process or another day. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createScreen } from '../approval/screen.ts';
import { listingOf, showCall } from '../approval/show-call.ts';
import { createTerminalApprover } from '../approval/terminal.ts';
import { editWith } from '../approval/editor.ts';
import { systemClock } from '../clock.ts';
import { openCallsOf } from '../effects/calls.ts';
import { effectOf } from '../effects/effect-of.ts';
import { decisionFact } from '../effects/ask-approval.ts';
import { messageOf, UserError } from '../errors.ts';
import { openJournal, type StoredJournal } from '../journal/file.ts';
import { keyFolder } from '../journal/own.ts';
import type { Decision, FactOf, JournalHeader, ToolCall, Toolbox } from '../ports.ts';
import { recordingOf } from '../resume.ts';
import { recordDecisions } from '../run.ts';
import { storedRun, type StoredRun } from '../stored-run.ts';
import { visibleLine } from '../text/visible.ts';
import { createToolbox } from '../tools/toolbox.ts';
import { instructive } from '../tools/texts.ts';
import { EXIT } from './exit-codes.ts';
import { findRun, foreignness } from './find-run.ts';
import { goOnLine } from './go-on.ts';
import { writeAll, type Io } from './io.ts';
import { judgingTools } from './judging-tools.ts';
import { countOf } from './lines.ts';
import { masked, redactorOf } from './masked.ts';
import { storedJournal } from './run-journal.ts';

export interface DecideOptions {
  readonly stateDir: string;
  readonly all?: boolean;
  readonly edit?: string;
  readonly inputHash?: readonly string[];
}

type Decided = FactOf<'approval.decided'>;

/** What there is to decide, and how. */
interface Desk {
  readonly toolbox: Toolbox;
  /** In the order of the model. */
  readonly calls: readonly ToolCall[];
  readonly confinements: NonNullable<JournalHeader['confinements']>;
}

/** Shows each call whole, and asks; off a terminal the hash of its input says that it was seen. */
export async function approve(
  ref: string,
  ids: readonly string[],
  options: DecideOptions,
  io: Io,
): Promise<number> {
  return decide(ref, options, io, async (desk) => {
    const { toolbox, calls, confinements } = desk;
    const chosen = chosenOf(calls, ids, options);
    if (options.edit !== undefined && chosen.length !== 1)
      throw new UserError('--edit takes the input of one call: name it.');
    const isPerson = io.stdin.isTTY === true && io.stderr.isTTY === true;
    if (!isPerson) await checkHashes(chosen, desk, options, io);
    const approver = createTerminalApprover({
      keyboard: io.stdin,
      screen: createScreen(io.stderr),
      edit: editWith(io.env),
      redact: redactorOf(io),
      confinementOf: (tool) => confinements[tool],
    });
    const decided: Decided[] = [];
    for (const call of chosen) {
      const edited = options.edit === undefined ? undefined : await inputIn(options.edit, call);
      const shown = edited === undefined ? call : { ...call, input: edited };
      const decision: Decision = isPerson
        ? await approver.decide(shown, never, (input) => previewOf(toolbox, { ...call, input }))
        : { decision: 'approve', by: 'person' };
      const fact = await factOf(call, decision, edited, toolbox);
      if (fact === null) break;
      decided.push(fact);
    }
    return decided;
  });
}

export async function deny(
  ref: string,
  ids: readonly string[],
  options: DecideOptions & { readonly reason?: string },
  io: Io,
): Promise<number> {
  return decide(ref, options, io, async ({ toolbox, calls }) => {
    const decision: Decision = { decision: 'deny', by: 'person', reason: options.reason ?? null };
    const chosen = chosenOf(calls, ids, options);
    const facts = await Promise.all(chosen.map((call) => factOf(call, decision, undefined, toolbox)));
    return facts.filter((fact) => fact !== null);
  });
}

/** Opens the run, lets somebody decide, and records it in a segment of its own. */
async function decide(
  ref: string,
  options: DecideOptions,
  io: Io,
  choose: (desk: Desk) => Promise<readonly Decided[]>,
): Promise<number> {
  const found = await findRun(ref, options.stateDir);
  const foreign = await foreignness(found, io.env);
  if (foreign !== null)
    throw new UserError(
      `${foreign}: a decision in it would count for nothing. Go on with it where you can be asked: turnstile resume RUN --workdir DIR`,
    );
  const journal = await openJournal(found.path);
  try {
    const run = storedRun(journal.lines);
    const decided = await choose({
      toolbox: toolboxOf(run.state.header, options.stateDir, io),
      calls: waitingCalls(run, journal),
      confinements: run.state.header.confinements ?? {},
    });
    if (decided.length === 0) {
      await writeAll(io.stderr, 'Nothing was decided.\n');
      return EXIT.waiting;
    }
    const written = storedJournal(journal, () => undefined);
    const result = await recordDecisions(run.state, recordingOf(run.state), decided, {
      journal: written,
      clock: systemClock,
    });
    const approved = decided.filter(({ decision }) => decision === 'approve').length;
    const said = [
      ...(approved > 0 ? [`${countOf(approved, 'call')} approved`] : []),
      ...(decided.length > approved ? [`${countOf(decided.length - approved, 'call')} denied`] : []),
    ];
    const next = goOnLine(result, written.lines, options.stateDir);
    await writeAll(io.stderr, `${said.join(', ')}. ${next ?? ''}\n`);
    return EXIT.ok;
  } finally {
    await journal.close();
  }
}

/** @throws {UserError} when nothing waits, and why */
function waitingCalls({ state, ended }: StoredRun, { lines }: StoredJournal): readonly ToolCall[] {
  const { snapshot, header, facts } = state;
  if (snapshot.output !== undefined)
    throw new UserError(`The run has stopped (${snapshot.output.reason}): no call of it waits.`);
  const open = openCallsOf({ header, facts, context: snapshot.context, since: facts.length });
  const waiting = open.filter(({ call, decided }) => call.verdict === 'ask' && decided === null);
  if (effectOf(snapshot) === 'askApproval' && waiting.length > 0) return waiting.map(({ call }) => call);
  const isDecided = ended?.state === 'waiting' && lines.some(({ type }) => type === 'approval.decided');
  throw new UserError(
    isDecided
      ? `All its calls are decided already. Go on with it: turnstile resume ${visibleLine(header.runId)}`
      : 'No call of the run waits for a decision.',
  );
}

function chosenOf(
  calls: readonly ToolCall[],
  ids: readonly string[],
  { all }: DecideOptions,
): readonly ToolCall[] {
  const list = calls.map(({ id, name }) => `${visibleLine(id)} (${visibleLine(name)})`).join(', ');
  const unknown = ids.find((id) => !calls.some((call) => call.id === id));
  if (unknown !== undefined)
    throw new UserError(
      `No call ${visibleLine(unknown)} of this run waits for a decision. Those that do: ${list}.`,
    );
  if (all && ids.length > 0) throw new UserError('--all and names of calls contradict each other.');
  if (all || (ids.length === 0 && calls.length === 1)) return calls;
  if (ids.length === 0) throw new UserError(`Which call? Name it, or say --all. They are: ${list}.`);
  return calls.filter(({ id }) => ids.includes(id));
}

const never = new AbortController().signal;

const previewOf = async (toolbox: Toolbox, call: ToolCall): Promise<string | null> =>
  (await toolbox.preview?.(call, never)) ?? null;

const MIN_HASH = 8;

/** Nobody approves what was not looked at. */
async function checkHashes(
  calls: readonly ToolCall[],
  { toolbox, confinements }: Desk,
  { inputHash: hashes = [] }: DecideOptions,
  io: Io,
): Promise<void> {
  const isSeen = ({ inputHash }: ToolCall): boolean =>
    hashes.some((hash) => hash.length >= MIN_HASH && inputHash.startsWith(hash));
  const unseen = calls.filter((call) => !isSeen(call));
  for (const call of unseen) {
    const beside = { change: await previewOf(toolbox, call), confinement: confinements[call.name] };
    const shown = showCall(call, listingOf(masked(call.input, redactorOf(io))), 100, beside);
    await writeAll(io.stderr, `${shown}\n  input hash: ${call.inputHash}\n`);
  }
  if (unseen.length === 0) return;
  throw new UserError(
    hashes.length === 0
      ? `There is no terminal to ask on. Look at the input, and say so: ${unseen.map(({ inputHash }) => `--input-hash ${inputHash.slice(0, 16)}`).join(' ')}`
      : 'The input of a call is not the one whose hash was given: it was shown above.',
  );
}

async function inputIn(file: string, call: ToolCall): Promise<unknown> {
  try {
    return listingOf(call.input).parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UserError(`--edit: ${visibleLine(file)} cannot be used. ${messageOf(error)}`, { cause: error });
  }
}

/** Null: not decided. An edited input is judged by the rules and the schema of its tool. */
async function factOf(
  call: ToolCall,
  decision: Decision,
  edited: unknown,
  toolbox: Toolbox,
): Promise<Decided | null> {
  const whole =
    decision.decision === 'approve' && decision.edited === undefined && edited !== undefined
      ? { ...decision, edited }
      : decision;
  const { signal } = new AbortController();
  const fact = await decisionFact(call, whole, { toolbox, texts: instructive }, signal);
  if (fact === 'wait' || fact.type === 'run.aborted') return null;
  if (fact.edited !== null && fact.decision === 'deny' && whole.decision === 'approve')
    throw new UserError(fact.reason ?? 'The edited input was refused.');
  return fact;
}

/** To judge by, and to show what a call would change: nothing runs in it. */
function toolboxOf({ runId, tools, rules, workdir }: JournalHeader, stateDir: string, io: Io): Toolbox {
  const names = tools.map(({ name }) => name);
  return createToolbox({
    runId,
    tools: judgingTools(names),
    rules,
    approveAll: false,
    workdir: workdir ?? '.',
    texts: instructive,
    hidden: [resolve(stateDir), keyFolder(io.env)],
    redact: redactorOf(io),
  });
}
