/** Usage that leaves a real run with as much money as the path says. docs/budget.md has the formulas behind it. */
import type { LoopContext, ModelFact } from '../../machines/index.ts';
import type { Money } from './configuration.ts';

type Bounds = Pick<LoopContext, 'nextCost' | 'summaryCost'>;

/** Above the first bound: room for every small response, not for one huge result. */
const ROOM_TOKENS = 15_000;

/** The token budget of a run whose first request finds so much. */
export function budgetFor(money: Money, { nextCost, summaryCost }: Bounds): number {
  switch (money) {
    case 'plenty':
      return nextCost.tokens + ROOM_TOKENS;
    case 'summary only':
      return summaryCost.tokens + 1_500;
    case 'nothing':
      return summaryCost.tokens - 1;
  }
}

const SMALL = 40;

/**
 * @param context of the real run before the fact
 * @param leaves what there is after it; null: as much as before
 */
export function inputTokensFor(fact: ModelFact, leaves: Money | null, context: LoopContext): number {
  const { spent, nextCost, summaryCost, limits } = context;
  if (leaves === null || limits.budget.tokens === null) return SMALL;
  const left = limits.budget.tokens - spent.tokens;
  // What joins the history is in every later prompt as well: its own tokens move the bounds.
  const isKept = fact.type !== 'model.failed' && fact.type !== 'model.truncated';
  if (isKept) return Math.round(left * (leaves === 'nothing' ? 0.7 : 0.4));
  return leaves === 'nothing' ? left : left - Math.round((nextCost.tokens + summaryCost.tokens) / 2);
}
