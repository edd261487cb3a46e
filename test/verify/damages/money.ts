/** Damages of what was spent, and of the limits. */
import { both, set, type Row } from '../recorded.ts';

export const MONEY: readonly Row[] = [
  [
    'an altered cost in tokens',
    set(14, 'cost.tokens', 1),
    14,
    4,
    /costs 1 tokens .* by its usage it is 110 and/,
  ],
  [
    'an altered cost in money',
    set(7, 'cost.nanoUsd', 149_999),
    7,
    4,
    /149999 nano-dollars; .* 110 and 150000/,
  ],
  ['an altered usage', set(7, 'usage.input_tokens', 101), 7, 4, /by its usage it is 111/],
  ['another price', set(1, 'price.output', 6), 2, 4, /by its usage it is 110 and 160000/],
  [
    'an altered spend',
    set(15, 'result.costUsd', 0.0005),
    15,
    4,
    /0\.0005 USD were spent; .* sum up to 0\.0006/,
  ],
  [
    'a response left out of the sum',
    set(15, 'result.usage.inputTokens', 300),
    15,
    4,
    /inputTokens 300; .* 400/,
  ],
  [
    'a usage called incomplete',
    set(15, 'result.isUsageIncomplete', true),
    15,
    4,
    /usage is incomplete; it is not/,
  ],
  ['a cost that was not billed', set(14, 'billing', 'none'), 14, 4, /was not billed, and costs 110/],
  ['a usage that was reported and is not there', set(7, 'usage', null), 7, 4, /has no usage, but says/],
  [
    'a bound in tokens and none in money',
    both(set(7, 'billing', 'unknown'), set(7, 'cost', { tokens: 20_000, nanoUsd: 79_999_999 })),
    7,
    4,
    /costs less than it could have/,
  ],
  ['a bound that is none', set(7, 'billing', 'unknown'), 7, 4, /costs less than it could have/],
  [
    'a budget in tokens used up before',
    set(1, 'limits.budget.tokens', 4_700),
    7,
    4,
    /when 110 of 4700 tokens/,
  ],
  [
    'a budget in money used up before',
    set(1, 'limits.budget.nanoUsd', 13_000_000),
    7,
    4,
    /nano-dollars were/,
  ],
  [
    'more turns than there may be',
    set(1, 'limits.maxTurns', 2),
    10,
    5,
    /asked for turn 3; there may be 2 turns/,
  ],
];
