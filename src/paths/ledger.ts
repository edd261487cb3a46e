/**
 * What a run owes by the rules of docs/proof.md, kept from its facts alone. It is written by hand from the rules and
 * shares nothing with the machine, which it judges.
 */
import type { Cause, LoopEvent, LoopInput, RunResumed } from '../../machines/index.ts';
import { isOpen, isOver, isUndecided, type Ledger, type LedgerCall } from './ledger-entry.ts';
import { paidFor, responded } from './ledger-responses.ts';

export { isOpen, isUndecided, type Ledger } from './ledger-entry.ts';

export function openLedger(input: LoopInput): Ledger {
  const { carried } = input;
  return judged({
    input,
    maxTurns: input.limits.maxTurns,
    onLimit: input.onLimit,
    turns: carried?.turn ?? 0,
    spent: carried?.spent.tokens ?? 0,
    next: input.nextCost.tokens,
    summaryBound: input.summaryCost.tokens,
    retries: 0,
    growths: 0,
    continuations: carried?.isPaused === true ? 1 : 0,
    calls: [],
    failing: carried?.failing ?? {},
    hasNewResults: carried?.followsTools ?? false,
    hasUnread: carried?.hasUnread ?? false,
    cause: null,
    summary: null,
    due: 'request',
    response: null,
  });
}

/** The ledger after one more fact. It takes any fact: whether one may come here is the contract's business. */
export const enter = (ledger: Ledger, fact: LoopEvent): Ledger =>
  fact.type === 'user.interjected' ? entered(ledger, fact) : judged(entered(ledger, fact));

function entered(ledger: Ledger, fact: LoopEvent): Ledger {
  switch (fact.type) {
    case 'user.interjected':
      return { ...ledger, hasUnread: true, ...grown(ledger, fact.promptCost.summary.tokens) };
    case 'run.aborted':
      return {
        ...ledger,
        spent: ledger.spent + fact.cost.tokens,
        cause: fact.cause === 'deadline' ? 'deadline' : 'aborted',
        due: ledger.calls.some(isOpen) ? 'close' : 'stop',
      };
    case 'run.resumed':
      return takenUp(ledger, fact);
    case 'retry.due':
      return { ...ledger, due: 'request' };
    case 'limit.raised':
      return { ...ledger, maxTurns: ledger.maxTurns + fact.turns, due: 'request' };
    case 'limit.kept':
      return { ...ledger, onLimit: 'summarise', due: 'request' };
    case 'approval.decided': {
      const decided = { ...ledger, calls: change(ledger, fact.callId, { decision: fact.decision }) };
      return decided.calls.some(isUndecided) ? decided : paidFor(decided);
    }
    case 'tool.started':
      return { ...ledger, calls: change(ledger, fact.callId, { status: 'started' }) };
    case 'tool.finished': {
      const isSuccess = fact.outcome.kind === 'succeeded';
      const calls = change(ledger, fact.callId, { status: 'ended', isSuccess });
      return resulted({ ...ledger, calls, ...grown(ledger, fact.promptCost.summary.tokens) });
    }
    case 'model.answered':
    case 'model.called_tools':
    case 'model.paused':
    case 'model.truncated':
    case 'model.refused':
    case 'model.overflowed':
    case 'model.failed':
      return responded(ledger, fact);
    default:
      return fact satisfies never;
  }
}

/** What was under way begins again: a request by looking at the causes, a batch of calls by looking at the money. */
function takenUp(ledger: Ledger, fact: RunResumed): Ledger {
  const { limits, onLimit, judgements, hasWords, cost, promptCost } = fact;
  const after = {
    ...ledger,
    input: { ...ledger.input, limits, onLimit },
    maxTurns: limits.maxTurns,
    onLimit,
    spent: ledger.spent + cost.tokens,
    hasUnread: ledger.hasUnread || hasWords,
    calls: ledger.calls.map((call) => {
      const anew = judgements.find(({ callId }) => callId === call.head.id && isOpen(call));
      if (anew === undefined) return call;
      const { verdict, isDecisionKept } = anew;
      return { ...call, head: { ...call.head, verdict }, decision: isDecisionKept ? call.decision : null };
    }),
    ...grown(ledger, promptCost.summary.tokens),
  };
  if (after.due === 'work') return paidFor(after);
  return after.due === 'wait' || after.due === 'close' ? after : { ...after, due: 'request' };
}

const isSummaryPayable = ({ input, spent, summaryBound }: Ledger): boolean =>
  input.limits.budget.tokens === null || spent + summaryBound <= input.limits.budget.tokens;

const isStuck = ({ failing, input }: Ledger): boolean =>
  Object.values(failing).some((times) => times >= input.limits.stuckAfter);

/** The next turn is the last, and would show the model results that it can do nothing more with. */
const isLimitReached = ({ turns, maxTurns, hasNewResults, onLimit }: Ledger): boolean =>
  turns >= maxTurns || (turns + 1 === maxTurns && hasNewResults && onLimit !== 'stop');

/** A person may still be asked for more turns. */
const isRaiseOffered = (ledger: Ledger): boolean =>
  ledger.onLimit === 'ask' && isLimitReached(ledger) && ledger.turns < ledger.maxTurns;

export const wantsSummary = ({ cause }: Ledger): boolean =>
  cause === 'budget' || cause === 'stuck' || cause === 'max_turns';

/** A result takes room in every later prompt: in that of a turn, and in that of the summary behind it. */
const grown = ({ next, summaryBound }: Ledger, tokens: number) => ({
  next: next + 2 * tokens,
  summaryBound: summaryBound + tokens,
});

const change = (
  { calls }: Ledger,
  id: string,
  to: Partial<Omit<LedgerCall, 'head'>>,
): readonly LedgerCall[] => calls.map((call) => (call.head.id === id ? { ...call, ...to } : call));

/** All calls have their result: what is next depends on why they had to get one. */
function resulted(ledger: Ledger): Ledger {
  if (ledger.calls.some(isOpen)) return ledger;
  const { due, cause, summary, calls } = ledger;
  if (due === 'work' || (cause === null && summary === null)) {
    const distinct = new Set(calls.map(({ head }) => head.fingerprint));
    const failures = new Map(Object.entries(ledger.failing));
    const failing = Object.fromEntries(
      [...new Set([...failures.keys(), ...distinct])].map((fingerprint) => [
        fingerprint,
        (failures.get(fingerprint) ?? 0) + (distinct.has(fingerprint) ? 1 : 0),
      ]),
    );
    const done = {
      ...ledger,
      hasNewResults: true,
      failing: calls.some(({ isSuccess }) => isSuccess) ? {} : failing,
    };
    return { ...done, due: due === 'work' ? 'request' : 'stop' };
  }
  return { ...ledger, due: wantsSummary(ledger) && summary === null ? 'request' : 'stop' };
}

/** Where a request is due the causes are looked at, the first in this order is kept. Then the request goes out. */
function judged(ledger: Ledger): Ledger {
  const { response, cause, hasUnread, turns, maxTurns } = ledger;
  const isHeardOut =
    ledger.due === 'stop' && response?.type === 'model.answered' && response.request === 'turn';
  const wantsMore = isHeardOut && cause === null && hasUnread && turns < maxTurns;
  const due = wantsMore ? 'request' : ledger.due;
  if (due !== 'request') return ledger;
  const blamed = cause ?? causeOf(ledger);
  const attempts = cause === blamed ? {} : { retries: 0, growths: 0 };
  return sent({ ...ledger, ...attempts, due, cause: blamed });
}

/** Which request goes out, if any. It carries what the user said, unless a paused turn has to come first. */
function sent(ledger: Ledger): Ledger {
  if (ledger.cause === null && isRaiseOffered(ledger)) return { ...ledger, due: 'offer' };
  if (ledger.cause !== null && !canSum(ledger)) return { ...ledger, due: 'stop' };
  const hasUnread = ledger.continuations > 0 && ledger.hasUnread;
  return { ...ledger, due: ledger.cause === null ? 'turn' : 'summary', hasUnread };
}

const canSum = (ledger: Ledger): boolean =>
  wantsSummary(ledger) && ledger.turns < ledger.maxTurns && isSummaryPayable(ledger);

function causeOf(ledger: Ledger): Cause | null {
  if (isOver(ledger)) return 'budget';
  if (isStuck(ledger)) return 'stuck';
  return isLimitReached(ledger) && !isRaiseOffered(ledger) ? 'max_turns' : null;
}
