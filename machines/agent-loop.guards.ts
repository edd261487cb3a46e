/**
 * The questions that the machine asks, as plain predicates. A guard on a fact sees the context *before* that fact's
 * update; a guard of a transient state sees it after.
 */
import { assertEvent } from 'xstate';
import type { LoopContext } from './agent-loop.context.ts';
import type { Amount, Cause, LoopEvent, OpenCall } from './agent-loop.types.ts';

const isOpen = (call: OpenCall): boolean => call.status === 'open' || call.status === 'started';

const mayRun = (call: OpenCall): boolean =>
  call.verdict === 'allow' || (call.verdict === 'ask' && call.decision === 'approve');

const isUndecided = (call: OpenCall): boolean => call.verdict === 'ask' && call.decision === null;

const exceedsBudget = ({ spent, limits: { budget } }: LoopContext, more: Amount): boolean =>
  (budget.nanoUsd !== null && spent.nanoUsd + more.nanoUsd > budget.nanoUsd) ||
  (budget.tokens !== null && spent.tokens + more.tokens > budget.tokens);

/** One more ordinary request could cost more than is left. */
export const isOverBudget = (context: LoopContext): boolean => exceedsBudget(context, context.nextCost);

/** Some call ended badly in so many turns, with nothing succeeding between, that asking again will not help. */
export const isStuck = ({ failing, limits }: LoopContext): boolean =>
  Object.values(failing).some((turns) => turns >= limits.stuckAfter);

/** Every turn has been asked. */
export const isOutOfTurns = ({ turn, limits }: LoopContext): boolean => turn >= limits.maxTurns;

const isLastTurn = ({ turn, limits }: LoopContext): boolean => turn + 1 >= limits.maxTurns;

/**
 * The next turn is the last one and would carry tool results: it is a summary, not a turn whose calls nobody answers.
 * A last turn that follows no tools (the first of a run, an interjection) is an ordinary one without tools.
 */
export const isSummaryDue = (context: LoopContext): boolean =>
  isLastTurn(context) && context.followsTools && context.onLimit !== 'stop';

/** As `isSummaryDue`, and a person is to be asked for more turns first. */
export const isRaiseDue = (context: LoopContext): boolean =>
  isSummaryDue(context) && context.onLimit === 'ask';

/** An ordinary turn whose tool calls could never be answered is asked with `tool_choice: none`. */
export const isToolless = (context: LoopContext): boolean =>
  isLastTurn(context) && context.onLimit !== 'stop';

export const isWrappingUp = ({ cause }: LoopContext): boolean => cause !== null;

/** A summary is a request like any other: it needs a turn and money. */
export const canAskSummary = (context: LoopContext): boolean =>
  !isOutOfTurns(context) && !exceedsBudget(context, context.summaryCost);

/** The cause calls for a summary, and none was asked for yet. */
export const wantsSummary = ({ cause, summary }: LoopContext): boolean =>
  summary === null && (cause === 'max_turns' || cause === 'budget' || cause === 'stuck');

/** The model has answered, but the user said something meanwhile and there is a turn left to hear it. */
export const wantsToHear = (context: LoopContext): boolean => context.hasUnread && !isOutOfTurns(context);

export const hasOpenCalls = ({ calls }: LoopContext): boolean => calls.some(isOpen);

export const needsApproval = ({ calls }: LoopContext): boolean => calls.some(isUndecided);

/** Results and decisions find their call by its id. */
export const hasDistinctCalls = (_: LoopContext, event: LoopEvent): boolean => {
  assertEvent(event, 'model.called_tools');
  return event.calls.length > 0 && new Set(event.calls.map(({ id }) => id)).size === event.calls.length;
};

export const canRetry = (context: LoopContext, event: LoopEvent): boolean => {
  assertEvent(event, 'model.failed');
  return event.isRetryable && context.retries < context.limits.maxRetries;
};

export const canGrow = (context: LoopContext, event: LoopEvent): boolean => {
  assertEvent(event, 'model.truncated');
  return event.canGrow && context.growths < context.limits.maxGrowths;
};

export const canContinue = ({ continuations, limits }: LoopContext): boolean =>
  continuations < limits.maxContinuations;

export const isContextWindow = (_: LoopContext, event: LoopEvent): boolean => {
  assertEvent(event, 'model.failed');
  return event.reason === 'context_window';
};

/** The decision is for a call that waits for one, and for the very input that was shown. */
export const isAwaited = ({ calls }: LoopContext, event: LoopEvent): boolean => {
  assertEvent(event, 'approval.decided');
  return calls.some(
    (call) => call.id === event.callId && call.inputHash === event.inputHash && isUndecided(call),
  );
};

export const isLastDecision = (context: LoopContext, event: LoopEvent): boolean =>
  isAwaited(context, event) && context.calls.filter(isUndecided).length === 1;

/** Only a call that is allowed or approved may start, and only once. */
export const canStart = ({ calls }: LoopContext, event: LoopEvent): boolean => {
  assertEvent(event, 'tool.started');
  return calls.some((call) => call.id === event.callId && call.status === 'open' && mayRun(call));
};

/** Results come in the order of the calls; nothing succeeds, fails or times out without having started. */
export const canFinish = ({ calls }: LoopContext, event: LoopEvent): boolean => {
  assertEvent(event, 'tool.finished');
  const next = calls.find(isOpen);
  if (next === undefined || next.id !== event.callId) return false;
  const { kind } = event.outcome;
  if (next.status === 'started') return kind !== 'denied' && kind !== 'not_run';
  return !mayRun(next) && kind === (next.verdict === 'invalid' ? 'failed' : 'denied');
};

export const isLastResult = (context: LoopContext, event: LoopEvent): boolean =>
  canFinish(context, event) && context.calls.filter(isOpen).length === 1;

/** A call that will not run; one that had started ends as it ends. */
export const canClose = ({ calls }: LoopContext, event: LoopEvent): boolean => {
  assertEvent(event, 'tool.finished');
  const next = calls.find(isOpen);
  if (next === undefined || next.id !== event.callId) return false;
  const { kind } = event.outcome;
  return next.status === 'started' ? kind !== 'denied' && kind !== 'not_run' : kind === 'not_run';
};

export const isRaise = ({ limits }: LoopContext, event: LoopEvent): boolean => {
  assertEvent(event, 'limit.raised');
  return (
    event.turns >= 1 &&
    Number.isSafeInteger(event.turns) &&
    Number.isSafeInteger(limits.maxTurns + event.turns)
  );
};

export const isDeadline = (_: LoopContext, event: LoopEvent): boolean => {
  assertEvent(event, 'run.aborted');
  return event.cause === 'deadline';
};

const isCausedBy =
  (cause: Cause) =>
  (context: LoopContext): boolean =>
    context.cause === cause;

export const isCausedByBudget = isCausedBy('budget');
export const isCausedByDeadline = isCausedBy('deadline');
export const isCausedByStuck = isCausedBy('stuck');
export const isCausedByMaxTokens = isCausedBy('max_tokens');
export const isCausedByAbort = isCausedBy('aborted');
