/** Facts and states of the graph and of a real run in one form, so that the two can be compared. */
import type { Limits, LoopContext, LoopEvent, OpenCall } from '../../machines/index.ts';
import { moneyLeft } from './responses.ts';
import type { Snapshot } from './graph.ts';

/** What the machine can tell of a fact; amounts and hashes show in the state behind it. */
export function normalFact(fact: LoopEvent): Readonly<Record<string, unknown>> {
  switch (fact.type) {
    case 'model.answered':
    case 'model.called_tools':
    case 'model.truncated':
      return {
        type: fact.type,
        request: fact.request,
        calls: fact.calls.map(({ id, verdict }) => ({ id, verdict })),
        ...('canGrow' in fact && { canGrow: fact.canGrow }),
      };
    case 'model.failed':
      return { type: fact.type, request: fact.request, isRetryable: fact.isRetryable, reason: fact.reason };
    case 'model.paused':
    case 'model.refused':
    case 'model.overflowed':
      return { type: fact.type, request: fact.request };
    case 'approval.decided':
      return { type: fact.type, callId: fact.callId, decision: fact.decision };
    case 'tool.started':
      return { type: fact.type, callId: fact.callId };
    case 'tool.finished':
      return { type: fact.type, callId: fact.callId, outcome: fact.outcome.kind };
    case 'limit.raised':
      return { type: fact.type, turns: fact.turns };
    case 'run.aborted':
      return { type: fact.type, cause: fact.cause };
    case 'run.resumed':
      return {
        type: fact.type,
        limits: countsOf(fact.limits),
        onLimit: fact.onLimit,
        judgements: fact.judgements.map(({ callId, verdict, isDecisionKept }) => ({
          callId,
          verdict,
          isDecisionKept,
        })),
        hasWords: fact.hasWords,
      };
    case 'retry.due':
    case 'limit.kept':
    case 'user.interjected':
      return { type: fact.type };
  }
}

/** Without the budget: the graph has amounts of its own. */
function countsOf(limits: Limits): Omit<Limits, 'budget'> {
  const { budget: _, ...counts } = limits;
  return counts;
}

export const normalState = ({ value, context }: Snapshot): Readonly<Record<string, unknown>> => ({
  value,
  ...normalContext(context),
});

function normalContext(context: LoopContext) {
  const { limits, spent, nextCost, summaryCost, calls, failing, ...counters } = context;
  const money = moneyLeft(spent.tokens, { nextCost, summaryCost }, limits.budget.tokens);
  return {
    ...counters,
    maxTurns: limits.maxTurns,
    // Once there is a cause no more turns are asked: then it matters only whether a summary can be paid.
    money: context.cause !== null && money === 'summary only' ? 'plenty' : money,
    calls: calls.map(({ id, verdict, decision, status }: OpenCall) => ({ id, verdict, decision, status })),
    // By how much, whatever the calls are named.
    failing: Object.values(failing).toSorted((a, b) => a - b),
  };
}
