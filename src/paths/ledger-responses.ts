/** What a response does to the ledger. */
import type { CallHead, ModelFact, SummaryResult } from '../../machines/index.ts';
import { isOver, type Ledger } from './ledger-entry.ts';

export function responded(before: Ledger, fact: ModelFact): Ledger {
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
      return {
        ...ledger,
        continuations: ledger.continuations + 1,
        due: ledger.continuations < limits.maxContinuations ? 'request' : 'stop',
      };
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
    default:
      return fact satisfies never;
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
export function paidFor(ledger: Ledger): Ledger {
  if (isOver(ledger)) return { ...ledger, cause: 'budget', due: 'close' };
  return ledger.turns >= ledger.maxTurns ? { ...ledger, cause: 'max_turns', due: 'close' } : ledger;
}
