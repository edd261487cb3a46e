/** How a run goes on: what holds from here on, checked before anything is spent. */
import { guards, inputAfter, updates, type Limits } from '../machines/index.ts';
import { enoughUsd, formatUsd } from './budget/cost.ts';
import { openCallsOf } from './effects/calls.ts';
import { prepare } from './effects/call-model.ts';
import { NO_BILL } from './effects/effect.ts';
import { effectOf } from './effects/effect-of.ts';
import { UserError } from './errors.ts';
import { hashOf } from './facts/hash.ts';
import { historyOf } from './history/history.ts';
import type {
  FactOf,
  JournalHeader,
  Judgement,
  Ports,
  Price,
  RunResult,
  Rule,
  ToolCall,
  ToolDefinition,
} from './ports.ts';
import type { RunState } from './run-state.ts';

type Resumed = FactOf<'run.resumed'>;

export interface ResumeRequest {
  /** In place of the limits so far. */
  readonly limits: Partial<Limits>;
  /** What the user says to the model. */
  readonly message: string | null;
  /** What was said too late for the segment that ended last. */
  readonly late: readonly string[];
  readonly price: Price | null;
  readonly rules: readonly Rule[];
  readonly timeoutMs: number | null;
  readonly workdir: string | null;
  readonly confinements: NonNullable<JournalHeader['confinements']>;
  /** Decisions of a journal that others could have written do not count: its calls are asked for again. */
  readonly isTrusted: boolean;
}

type ResumePorts = Pick<Ports, 'model' | 'toolbox' | 'texts'>;

/**
 * The fact that a segment begins with.
 * @throws {UserError} when the run cannot go on like this: nothing has been recorded or sent
 */
export function resumptionOf(state: RunState, request: ResumeRequest, ports: ResumePorts): Resumed {
  checkTools(state.header, ports.toolbox.definitions);
  checkModel(state, ports.model.id);
  const { snapshot, header } = state;
  const limits = { ...snapshot.context.limits, ...request.limits };
  const words = wordsOf(state, request, ports);
  const fact = state.priced({
    type: 'run.resumed',
    limits,
    onLimit: header.onLimit,
    model: ports.model.id,
    price: request.price,
    rules: request.rules,
    timeoutMs: request.timeoutMs,
    workdir: request.workdir,
    confinements: request.confinements,
    words,
    hasWords: words.length > 0,
    judgements: judgementsOf(state, request, ports),
    promptCost: { next: NO_BILL.cost, summary: NO_BILL.cost },
    ...lostRequest(state, ports),
  });
  if (fact.type !== 'run.resumed') throw new TypeError('Its bounds do not change what a fact is.');
  if (limits.budget.nanoUsd !== null && request.price === null) {
    throw new UserError(`The price of ${ports.model.id} is not known, so its budget in USD cannot be kept.`);
  }
  if (snapshot.status !== 'active') checkRoom(state, fact);
  return fact;
}

/** A segment that only records what people decide: everything stays as it is. */
export const recordingOf = ({ header, snapshot }: RunState): Resumed => ({
  type: 'run.resumed',
  limits: snapshot.context.limits,
  onLimit: header.onLimit,
  model: header.model,
  price: header.price,
  rules: header.rules,
  timeoutMs: header.timeoutMs,
  words: [],
  hasWords: false,
  judgements: [],
  promptCost: { next: NO_BILL.cost, summary: NO_BILL.cost },
  ...NO_BILL,
});

const names = (list: readonly ToolDefinition[]): string => list.map(({ name }) => name).join(', ') || 'none';

const FORK =
  'A new run can go on with what was said so far, without the thoughts of the model: turnstile resume RUN --fork (forkedLines).';

/** Thinking is bound to the tools that it was thought with: the API would refuse the next request. */
function checkTools({ tools }: JournalHeader, now: readonly ToolDefinition[]): void {
  if (names(tools) !== names(now)) {
    throw new UserError(
      `The tools are not those that the run began with. Then: ${names(tools)}. Now: ${names(now)}. ${FORK}`,
    );
  }
  const changed = tools.find((tool, index) => hashOf(tool) !== hashOf(now[index]));
  if (changed === undefined) return;
  throw new UserError(
    `The tool ${changed.name} is not what it was when the run began: its description or its input schema has changed. ${FORK}`,
  );
}

/** Thinking is bound to its model as well. */
function checkModel({ header, facts }: RunState, model: string): void {
  if (model === header.model) return;
  const blocks = historyOf(header, facts).messages.flatMap(({ content }) => content);
  if (!blocks.some(({ type }) => type === 'thinking' || type === 'redacted_thinking')) return;
  throw new UserError(
    `The run has thoughts of ${header.model}, which ${model} would not take. Go on with ${header.model}, or begin a new run.`,
  );
}

/** What the next request carries. A model that has had its last word is not asked again without one of the user. */
function wordsOf(
  { snapshot, header, facts }: RunState,
  { late, message }: ResumeRequest,
  { texts }: ResumePorts,
): readonly string[] {
  const said = [...late, ...(message === null ? [] : [message.toWellFormed()])];
  if (snapshot.output === undefined) return said;
  const { reason } = snapshot.output;
  if (said.length > 0) return said;
  const { messages, interjections, heard, isPaused } = historyOf(header, facts);
  if (interjections.length > heard) return [];
  if (reason === 'end_turn') {
    throw new UserError('The run has its answer. Say what else is to be done: a message is needed to go on.');
  }
  if (reason === 'refusal') {
    throw new UserError(
      'The model declined to go on, and would decline again. Say something else to it with a message, or begin a new run from an earlier point.',
    );
  }
  return messages.at(-1)?.role === 'assistant' && !isPaused ? [texts.goOn] : [];
}

/** Calls that wait or have not begun are judged by the rules that hold now. */
function judgementsOf(
  { header, facts, snapshot }: RunState,
  { isTrusted }: ResumeRequest,
  { toolbox }: ResumePorts,
): Resumed['judgements'] {
  if (snapshot.status !== 'active') return [];
  const open = openCallsOf({ header, facts, context: snapshot.context, since: facts.length });
  return open.flatMap(({ call, state, decided }) => {
    if (call.verdict === 'invalid') return [];
    const isDecided = state.decision !== null;
    const hasBegun = state.status === 'started';
    const isDecisionKept = isTrusted || !isDecided || hasBegun;
    const now = toolbox.judge(
      call.name,
      isDecisionKept ? (decided?.edited?.input ?? call.input) : call.input,
    );
    // A decision stands, unless the rules forbid the call now. A call that has begun is not asked for any more: it ends
    // as interrupted where it may not run again.
    const isSettled = (isDecided && isDecisionKept) || hasBegun;
    // What the host's program had tightened stays, where there is no program now that says otherwise.
    const isHeld = isHeldBy(call, now);
    const isForbidden = now.verdict === 'deny' || (hasBegun && isDecided && !isTrusted);
    const verdict = isForbidden ? 'deny' : isSettled || isHeld ? call.verdict : now.verdict;
    return verdict === call.verdict && isDecisionKept
      ? []
      : [
          {
            callId: call.id,
            verdict,
            refusal: verdict === 'ask' || verdict === 'allow' ? null : now.refusal,
            rule: (verdict === now.verdict ? now.rule : call.rule) ?? null,
            isDecisionKept,
          },
        ];
  });
}

const isHeldBy = ({ rule, verdict }: ToolCall, now: Judgement): boolean =>
  rule === 'beforeTool' &&
  (verdict === 'deny' || (verdict === 'ask' && now.verdict === 'allow' && now.rule !== 'approveAll'));

/** A request that was out when the process died may have been billed, and nobody knows what it took: the most it can. */
function lostRequest(
  { header, facts, snapshot }: RunState,
  ports: ResumePorts,
): Pick<Resumed, 'abortedRequest' | 'usage' | 'billing' | 'durationMs' | 'cost'> {
  const effect = snapshot.status === 'active' ? effectOf(snapshot) : null;
  if (effect !== 'callModel' && effect !== 'askForSummary') return NO_BILL;
  const { context } = snapshot;
  const kind = effect === 'callModel' ? 'turn' : 'summary';
  const isWithoutTools = kind === 'summary' || guards.isToolless(context);
  const { worstCost } = prepare({ header, facts, context }, ports, kind, isWithoutTools);
  return { ...NO_BILL, abortedRequest: kind, billing: 'unknown', cost: worstCost };
}

/** A run that would stop at once for the same reason is not begun. */
function checkRoom({ snapshot }: RunState, fact: Resumed): void {
  const context = updates.initialContext(inputAfter(snapshot.context, fact));
  const { limits, turn, spent, nextCost } = context;
  if (guards.isOutOfTurns(context)) {
    throw new UserError(
      `No turn is left: ${turn} of ${limits.maxTurns} were asked. Raise the limit: --max-turns ${turn + 1} or more (limits.maxTurns).`,
    );
  }
  if (!guards.isOverBudget(context)) return;
  const { nanoUsd, tokens } = limits.budget;
  const isMoney = nanoUsd !== null && spent.nanoUsd + nextCost.nanoUsd > nanoUsd;
  const least = isMoney
    ? `${formatUsd(nextCost.nanoUsd)}, and ${formatUsd(Math.max(0, nanoUsd - spent.nanoUsd))} of ${formatUsd(nanoUsd)} is left. Raise the limit: --max-usd ${enoughUsd(spent.nanoUsd + nextCost.nanoUsd)} or more (limits.maxUsd)`
    : `${nextCost.tokens} tokens, and ${Math.max(0, (tokens ?? 0) - spent.tokens)} of ${tokens ?? 0} are left. Raise the limit: --token-budget ${spent.tokens + nextCost.tokens} or more (limits.tokenBudget)`;
  throw new UserError(`The budget has no room for another turn: it may take ${least}.`);
}

/** Words that the last segment's end lists as unread, and no fact holds. */
export function lateWords(state: RunState, last: RunResult | null): readonly string[] {
  if (last?.state !== 'stopped') return [];
  const { interjections, heard } = historyOf(state.header, state.facts);
  return last.unread.slice(interjections.length - heard);
}
