/**
 * What a run owes by the rules of docs/proof.md, kept from its facts alone. It is written by hand from the rules and
 * shares nothing with the machine, which it judges.
 */
import type {
  CallHead,
  Cause,
  LoopEvent,
  LoopInput,
  ModelFact,
  OnLimit,
  SummaryResult,
} from '../../machines/index.ts';

export interface LedgerCall {
  readonly head: CallHead;
  readonly decision: 'approve' | 'deny' | null;
  readonly status: 'open' | 'started' | 'ended';
  readonly isSuccess: boolean;
}

export interface Ledger {
  readonly input: LoopInput;
  readonly maxTurns: number;
  readonly onLimit: OnLimit;
  readonly turns: number;
  readonly spent: number;
  readonly next: number;
  readonly summaryBound: number;
  readonly retries: number;
  readonly growths: number;
  readonly continuations: number;
  /** Of the last response. */
  readonly calls: readonly LedgerCall[];
  readonly failing: Readonly<Record<string, number>>;
  /** The model has not seen the results of the last calls. */
  readonly hasNewResults: boolean;
  /** Words of the user that no request has carried. */
  readonly hasUnread: boolean;
  readonly cause: Cause | null;
  readonly summary: SummaryResult | null;
  /** What has to be done now; `turn` and `summary`: that request is out. */
  readonly due: 'request' | 'turn' | 'summary' | 'offer' | 'wait' | 'work' | 'close' | 'stop';
  readonly response: ModelFact | null;
}

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
    continuations: 0,
    calls: [],
    failing: carried?.failing ?? {},
    hasNewResults: carried?.followsTools ?? false,
    hasUnread: false,
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
      return { ...ledger, hasUnread: true, ...grown(ledger, fact.promptCost.tokens) };
    case 'run.aborted':
      return {
        ...ledger,
        spent: ledger.spent + fact.cost.tokens,
        cause: fact.cause === 'deadline' ? 'deadline' : 'aborted',
        due: ledger.calls.some(isOpen) ? 'close' : 'stop',
      };
    case 'retry.due':
      return { ...ledger, due: 'request' };
    case 'limit.raised':
      return { ...ledger, maxTurns: ledger.maxTurns + fact.turns, due: 'request' };
    case 'limit.kept':
      return { ...ledger, onLimit: 'summarise', due: 'request' };
    case 'approval.decided':
      return paidFor({ ...ledger, calls: change(ledger, fact.callId, { decision: fact.decision }) });
    case 'tool.started':
      return { ...ledger, calls: change(ledger, fact.callId, { status: 'started' }) };
    case 'tool.finished': {
      const isSuccess = fact.outcome.kind === 'succeeded';
      const calls = change(ledger, fact.callId, { status: 'ended', isSuccess });
      return resulted({ ...ledger, calls, ...grown(ledger, fact.promptCost.tokens) });
    }
    default:
      return responded(ledger, fact);
  }
}

export const isOpen = ({ status }: LedgerCall): boolean => status !== 'ended';
export const isUndecided = ({ head, decision }: LedgerCall): boolean =>
  head.verdict === 'ask' && decision === null;

const isOver = ({ input, spent, next }: Ledger): boolean =>
  input.limits.budget.tokens !== null && spent + next > input.limits.budget.tokens;

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

function responded(before: Ledger, fact: ModelFact): Ledger {
  const { limits } = before.input;
  const ledger: Ledger = {
    ...before,
    spent: before.spent + fact.cost.tokens,
    next: fact.nextCost.tokens,
    summaryBound: fact.summaryCost.tokens,
    response: fact,
    summary: fact.request === 'summary' ? SUMMARY[fact.type] : before.summary,
  };
  switch (fact.type) {
    case 'model.failed':
      return fact.isRetryable && ledger.retries < limits.maxRetries
        ? { ...ledger, retries: ledger.retries + 1, due: 'wait' }
        : { ...ledger, due: 'stop' };
    case 'model.paused':
      return ledger.continuations < limits.maxContinuations
        ? { ...ledger, continuations: ledger.continuations + 1, due: 'request' }
        : { ...ledger, due: 'stop' };
    case 'model.truncated':
      if (fact.canGrow && ledger.growths < limits.maxGrowths) {
        return { ...ledger, growths: ledger.growths + 1, due: 'request' };
      }
      return called(counted({ ...ledger, cause: ledger.cause ?? 'max_tokens' }), fact.calls, 'close');
    case 'model.answered':
      return called(counted(ledger), fact.calls, 'close');
    case 'model.called_tools':
      return fact.request === 'turn'
        ? paidFor(called(counted(ledger), fact.calls, 'work'))
        : called(counted(ledger), fact.calls, 'close');
    case 'model.refused':
    case 'model.overflowed':
      return { ...counted(ledger), due: 'stop' };
  }
}

const SUMMARY: Readonly<Record<ModelFact['type'], SummaryResult>> = {
  'model.answered': 'answered',
  'model.called_tools': 'called_tools',
  'model.truncated': 'truncated',
  'model.refused': 'refused',
  'model.overflowed': 'failed',
  'model.failed': 'failed',
  'model.paused': 'failed',
};

const counted = (ledger: Ledger): Ledger => ({
  ...ledger,
  turns: ledger.turns + 1,
  retries: 0,
  growths: 0,
  continuations: 0,
  hasNewResults: false,
});

function called(ledger: Ledger, heads: readonly CallHead[], due: 'work' | 'close'): Ledger {
  const calls = heads.map((head) => ({ head, decision: null, status: 'open', isSuccess: false }) as const);
  return calls.length > 0 ? { ...ledger, calls, due } : { ...ledger, calls, due: 'stop' };
}

/** Before tools run, when all is decided that has to be: could their results still be sent? */
function paidFor(ledger: Ledger): Ledger {
  if (isOver(ledger)) return { ...ledger, cause: 'budget', due: 'close' };
  return ledger.turns >= ledger.maxTurns ? { ...ledger, cause: 'max_turns', due: 'close' } : ledger;
}

/** All calls have their result: what is next depends on why they had to get one. */
function resulted(ledger: Ledger): Ledger {
  if (ledger.calls.some(isOpen)) return ledger;
  const { due, cause, summary, calls } = ledger;
  if (due === 'work' || (cause === null && summary === null)) {
    const distinct = new Set(calls.map(({ head }) => head.fingerprint));
    const failing = Object.fromEntries(
      [...new Set([...Object.keys(ledger.failing), ...distinct])].map((fingerprint) => [
        fingerprint,
        (ledger.failing[fingerprint] ?? 0) + (distinct.has(fingerprint) ? 1 : 0),
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
