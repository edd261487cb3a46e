/** The ways in which a request can end, with every amount of money that can be left. */
import type { LoopContext, LoopEvent, ModelFact } from '../../machines/index.ts';
import { callOf } from './calls.ts';
import {
  AMOUNTS,
  BUDGET,
  SPENT,
  tokens,
  type CallKind,
  type Configuration,
  type Money,
} from './configuration.ts';

export function responses(
  request: ModelFact['request'],
  context: LoopContext,
  configuration: Configuration,
): readonly LoopEvent[] {
  const { batches, hasOddResponses = false, countsEveryToken = false } = configuration;
  const callsOf = (batch: readonly CallKind[]) =>
    batch.map((kind, index) => callOf(kind, context.turn + 1, index));
  const heads = (bounds: Bounds) => headsOf(request, context, bounds);
  // What joins the history was counted by the server; what does not, leaves the bounds as they were.
  const joining = heads(freshBounds(context));
  const passing = heads(context);
  // What is left is looked at again where another request may follow; elsewhere it cannot matter.
  const first = joining.slice(0, 1);
  // What ends a run may cost something without making more states; elsewhere each token makes new ones.
  const last = { joining: first.map(paid), passing: passing.slice(0, 1).map(paid) };
  const kept = countsEveryToken ? last : { joining: first, passing: passing.slice(0, 1) };
  const type = 'model.failed';
  return [
    ...(context.hasUnread ? joining : last.joining).map((head): LoopEvent => ({
      type: 'model.answered',
      ...head,
      calls: [],
    })),
    ...batches.flatMap((batch) =>
      joining.map((head): LoopEvent => ({ type: 'model.called_tools', ...head, calls: callsOf(batch) })),
    ),
    ...passing.map((head): LoopEvent => ({ type, ...head, isRetryable: true, reason: 'model_failed' })),
    ...last.passing.map((head): LoopEvent => ({ type, ...head, isRetryable: false, reason: 'model_failed' })),
    ...(hasOddResponses ? odd() : []),
  ];

  function odd(): readonly LoopEvent[] {
    const calls = callsOf(batches[0] ?? []);
    const canGrow = canGrowIn(context);
    return [
      ...joining.map((head): LoopEvent => ({ type: 'model.paused', ...head })),
      ...kept.joining.map((head): LoopEvent => ({ type: 'model.answered', ...head, calls })),
      ...kept.passing.flatMap((head): readonly LoopEvent[] => [
        ...(canGrow ? [{ type: 'model.truncated', ...head, calls: [], canGrow } as const] : []),
        { type: 'model.truncated', ...head, calls, canGrow: false },
      ]),
      ...last.passing.flatMap((head): readonly LoopEvent[] => [
        { type: 'model.truncated', ...head, calls: [], canGrow: false },
        { type: 'model.refused', ...head },
        { type: 'model.overflowed', ...head },
        { type, ...head, isRetryable: false, reason: 'context_window' },
      ]),
    ];
  }
}

type Bounds = Pick<LoopContext, 'nextCost' | 'summaryCost'>;
type Head = Pick<ModelFact, 'request' | 'cost' | 'nextCost' | 'summaryCost'>;

const paid = (head: Head): Head => ({ ...head, cost: tokens(1) });

/** A response that leaves as much as there was, and those after which there is less. */
function headsOf(
  request: ModelFact['request'],
  context: LoopContext,
  { nextCost, summaryCost }: Bounds,
): readonly Head[] {
  const { spent, limits, cause } = context;
  const head = { request, nextCost, summaryCost };
  if (limits.budget.tokens === null) return [{ ...head, cost: tokens(0) }];
  const now = LEVELS.indexOf(moneyLeft(spent.tokens, context));
  // Once there is a cause no more turns are asked: then it matters only whether a summary can be paid.
  const levels = cause === null ? LEVELS.slice(now) : LEVELS.filter((level) => level !== 'summary only');
  return levels.map((level, index) => ({
    ...head,
    cost: tokens(index === 0 ? 0 : SPENT[level] - spent.tokens),
  }));
}

const LEVELS: readonly Money[] = ['plenty', 'summary only', 'nothing'];

/** Words that the request did not carry. */
const unheardIn = ({ nextCost, hasUnread }: LoopContext): number =>
  hasUnread && nextCost.tokens > AMOUNTS.next ? AMOUNTS.huge : 0;

/** Of the next prompt as counted; words that the request did not carry come on top. */
function freshBounds(context: LoopContext): Bounds {
  if (context.limits.budget.tokens === null) return { nextCost: tokens(0), summaryCost: tokens(0) };
  const unheard = unheardIn(context);
  return {
    nextCost: tokens(AMOUNTS.next + 2 * unheard),
    summaryCost: tokens(AMOUNTS.summary + unheard),
  };
}

/** It can grow only where the budget has room for more; words that the request did not carry are not looked at yet. */
function canGrowIn(context: LoopContext): boolean {
  const { growths, limits, cause, spent, nextCost, summaryCost } = context;
  const sent = { nextCost: tokens(nextCost.tokens - 2 * unheardIn(context)), summaryCost };
  return (
    growths < limits.maxGrowths &&
    (cause !== null || moneyLeft(spent.tokens, sent, limits.budget.tokens) === 'plenty')
  );
}

/** How much money is left, given what has been spent. */
export function moneyLeft(
  spent: number,
  { nextCost, summaryCost }: Bounds,
  budget: number | null = BUDGET,
): Money {
  if (budget === null || spent + nextCost.tokens <= budget) return 'plenty';
  return spent + summaryCost.tokens <= budget ? 'summary only' : 'nothing';
}
