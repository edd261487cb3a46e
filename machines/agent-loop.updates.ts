/** What facts do to the context, as plain functions. An update never decides: transient states do that afterwards. */
import { assertEvent } from 'xstate';
import type { LoopContext, LoopInput } from './agent-loop.context.ts';
import type {
  Amount,
  PromptCost,
  Cause,
  JudgedAnew,
  LoopEvent,
  OpenCall,
  SummaryResult,
} from './agent-loop.types.ts';

type Update = Partial<LoopContext>;

const NOTHING: Amount = { nanoUsd: 0, tokens: 0 };

const plus = (a: Amount, b: Amount): Amount => ({
  nanoUsd: a.nanoUsd + b.nanoUsd,
  tokens: a.tokens + b.tokens,
});

export const initialContext = ({
  limits,
  onLimit,
  nextCost,
  summaryCost,
  carried,
}: LoopInput): LoopContext => ({
  limits,
  onLimit,
  turn: carried?.turn ?? 0,
  spent: carried?.spent ?? NOTHING,
  nextCost,
  summaryCost,
  retries: 0,
  growths: 0,
  continuations: carried?.isPaused === true ? 1 : 0,
  calls: [],
  failing: carried?.failing ?? {},
  followsTools: carried?.followsTools ?? false,
  hasUnread: carried?.hasUnread ?? false,
  cause: null,
  summary: null,
});

/** Every response is paid for, whatever becomes of it. */
export const chargeResponse = ({ spent }: LoopContext, event: LoopEvent): Update => {
  assertEvent(event, 'model.*');
  return { spent: plus(spent, event.cost), nextCost: event.nextCost, summaryCost: event.summaryCost };
};

/** The response counts: the turn has been asked. */
export const countTurn = ({ turn }: LoopContext): Update => ({
  turn: turn + 1,
  retries: 0,
  growths: 0,
  continuations: 0,
  followsTools: false,
});

export const takeCalls = (_: LoopContext, event: LoopEvent): Update => {
  assertEvent(event, ['model.answered', 'model.called_tools', 'model.truncated']);
  return {
    calls: event.calls.map(({ id, name, fingerprint, inputHash, verdict }) => ({
      id,
      name,
      fingerprint,
      inputHash,
      verdict,
      decision: null,
      status: 'open',
    })),
  };
};

export const countRetry = ({ retries }: LoopContext): Update => ({ retries: retries + 1 });
export const countGrowth = ({ growths }: LoopContext): Update => ({ growths: growths + 1 });
export const countContinuation = ({ continuations }: LoopContext): Update => ({
  continuations: continuations + 1,
});

/** The request that goes out now carries what the user said, unless a paused turn must come first. */
export const hearUser = ({ continuations, hasUnread }: LoopContext): Update => ({
  hasUnread: continuations > 0 && hasUnread,
});

export const recordInterjection = (context: LoopContext, event: LoopEvent): Update => {
  assertEvent(event, 'user.interjected');
  return { hasUnread: true, ...withPromptCost(context, event.promptCost) };
};

export const recordDecision = ({ calls }: LoopContext, event: LoopEvent): Update => {
  assertEvent(event, 'approval.decided');
  return { calls: changeCall(calls, event.callId, { decision: event.decision }) };
};

export const recordStart = ({ calls }: LoopContext, event: LoopEvent): Update => {
  assertEvent(event, 'tool.started');
  return { calls: changeCall(calls, event.callId, { status: 'started' }) };
};

export const recordResult = (context: LoopContext, event: LoopEvent): Update => {
  assertEvent(event, 'tool.finished');
  const status = event.outcome.kind === 'succeeded' ? 'succeeded' : 'unsuccessful';
  return {
    calls: changeCall(context.calls, event.callId, { status }),
    ...withPromptCost(context, event.promptCost),
  };
};

/** All calls of the turn have their result. One success means progress; else each distinct call failed once more. */
export const settleCalls = ({ calls, failing }: LoopContext): Update => ({
  calls: [],
  followsTools: true,
  failing: calls.some((call) => call.status === 'succeeded') ? {} : countFailures(failing, calls),
});

export const raiseLimit = ({ limits }: LoopContext, event: LoopEvent): Update => {
  assertEvent(event, 'limit.raised');
  return { limits: { ...limits, maxTurns: limits.maxTurns + event.turns } };
};

export const keepLimit = (): Update => ({ onLimit: 'summarise' });

export const chargeAbort = ({ spent }: LoopContext, event: LoopEvent): Update => {
  assertEvent(event, 'run.aborted');
  return { spent: plus(spent, event.cost), cause: event.cause === 'deadline' ? 'deadline' : 'aborted' };
};

/** What follows a cause is a new request, with retries and growths of its own. */
const causedBy = (cause: Cause) => (): Update => ({ cause, retries: 0, growths: 0 });

/** The run goes on under the limits and the rules that hold now. */
export const takeUp = (context: LoopContext, event: LoopEvent): Update => {
  assertEvent(event, 'run.resumed');
  const { limits, onLimit, hasWords, judgements, cost, promptCost } = event;
  return {
    limits,
    onLimit,
    spent: plus(context.spent, cost),
    hasUnread: context.hasUnread || hasWords,
    calls: judgements.reduce(judgeAnew, context.calls),
    ...withPromptCost(context, promptCost),
  };
};

const judgeAnew = (
  calls: readonly OpenCall[],
  { callId, verdict, isDecisionKept }: JudgedAnew,
): readonly OpenCall[] =>
  calls.map((call) =>
    call.id === callId && (call.status === 'open' || call.status === 'started')
      ? { ...call, verdict, decision: isDecisionKept ? call.decision : null }
      : call,
  );

export const blameBudget = causedBy('budget');
export const blameStuck = causedBy('stuck');
export const blameMaxTurns = causedBy('max_turns');
export const blameMaxTokens = causedBy('max_tokens');

const summaryIs = (summary: SummaryResult) => (): Update => ({ summary });

export const summaryAnswered = summaryIs('answered');
export const summaryCalledTools = summaryIs('called_tools');
export const summaryTruncated = summaryIs('truncated');
export const summaryRefused = summaryIs('refused');
export const summaryFailed = summaryIs('failed');

/** No summary can be asked for; one that was asked for in vain keeps its name. */
export const summarySkipped = ({ summary }: LoopContext): Update => ({ summary: summary ?? 'skipped' });

const withPromptCost = ({ nextCost, summaryCost }: LoopContext, promptCost: PromptCost): Update => ({
  nextCost: plus(nextCost, promptCost.next),
  summaryCost: plus(summaryCost, promptCost.summary),
});

const changeCall = (calls: readonly OpenCall[], id: string, change: Partial<OpenCall>): readonly OpenCall[] =>
  calls.map((call) => (call.id === id ? { ...call, ...change } : call));

const countFailures = (
  failing: LoopContext['failing'],
  calls: readonly OpenCall[],
): LoopContext['failing'] => ({
  ...failing,
  ...Object.fromEntries(
    calls.map(({ fingerprint }) => [fingerprint, (ownCount(failing, fingerprint) ?? 0) + 1]),
  ),
});

/** A fingerprint may be any text, also the name of something that every object has. */
const ownCount = (failing: LoopContext['failing'], fingerprint: string): number | undefined =>
  Object.hasOwn(failing, fingerprint) ? failing[fingerprint] : undefined;
