/** What the run needed when its budget stopped it: the same sums as the machine's, made again for people. */
import type { Amount } from '../../machines/index.ts';
import type { Fact, JournalHeader } from '../ports.ts';

export interface BudgetNeed {
  readonly spent: Amount;
  /** The most that one more turn could cost, with the summary that might follow it. */
  readonly next: Amount;
}

export function needOf(header: JournalHeader, facts: readonly Fact[]): BudgetNeed {
  // An earlier segment may have been stopped as well.
  const from = facts.findLastIndex(({ type }) => type === 'run.resumed');
  const end = facts.findIndex((fact, index) => index > from && isAfterTheStop(fact));
  return (end === -1 ? facts : facts.slice(0, end)).reduce(addFact, {
    spent: NOTHING,
    next: header.nextCost,
  });
}

/** Calls are closed and a summary is asked for once the budget has stopped the work. */
const isAfterTheStop = (fact: Fact): boolean =>
  ('request' in fact && fact.request === 'summary') ||
  (fact.type === 'tool.finished' && fact.outcome.kind === 'not_run');

function addFact({ spent, next }: BudgetNeed, fact: Fact): BudgetNeed {
  if ('nextCost' in fact) return { spent: plus(spent, fact.cost), next: fact.nextCost };
  return {
    spent: 'cost' in fact ? plus(spent, fact.cost) : spent,
    next: 'promptCost' in fact ? plus(next, fact.promptCost.next) : next,
  };
}

const NOTHING: Amount = { nanoUsd: 0, tokens: 0 };

const plus = (a: Amount, b: Amount): Amount => ({
  nanoUsd: a.nanoUsd + b.nanoUsd,
  tokens: a.tokens + b.tokens,
});
