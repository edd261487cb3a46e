import { describe, expect, it } from 'vitest';
import { ceilingViolations } from '../../src/verify/ceiling.ts';
import { parseJournal } from '../../src/verify/lines.ts';
import { both, clean, insert, set, SAID, type Damage } from './recorded.ts';

const budget = (tokens: number | null, nanoUsd: number | null): Damage =>
  set(1, 'limits.budget', { tokens, nanoUsd });

/** Something that cost and brought no response. */
const ABORTED = {
  type: 'run.aborted',
  at: '',
  cause: 'user',
  usage: null,
  billing: 'unknown',
  cost: { tokens: 1_000, nanoUsd: 2_000_000 },
  abortedRequest: 'turn',
};

const usedUp = (spent: number, of: number, unit: string, more: number) =>
  `This was asked when ${spent} of ${of} ${unit} were spent and it could take ${more} more: the budget was used up.`;

/** The first request could take 6,664 tokens and 14,856,000 nano-dollars, and no later one brings it higher. */
const ROWS: readonly (readonly [string, Damage, readonly (readonly [number, string])[]])[] = [
  ['no budget', budget(null, null), []],
  ['tokens that are just enough', budget(6_664, null), []],
  ['money that is just enough', budget(null, 14_856_000), []],
  ['a token too few', budget(6_663, null), [[2, usedUp(0, 6_663, 'tokens', 6_664)]]],
  [
    'a nano-dollar too few',
    budget(6_664, 14_855_999),
    [[2, usedUp(0, 14_855_999, 'nano-dollars', 14_856_000)]],
  ],
  [
    'a token too few later',
    both(budget(4_987, null), set(1, 'nextCost.tokens', 1)),
    [[14, usedUp(330, 4_987, 'tokens', 4_658)]],
  ],
  [
    'just enough for a summary',
    both(budget(4_987, null), set(1, 'nextCost.tokens', 1), set(14, 'request', 'summary')),
    [],
  ],
  [
    'too little for a summary',
    both(budget(2_626, null), set(1, 'nextCost.tokens', 1), set(14, 'request', 'summary')),
    [
      [7, usedUp(110, 2_626, 'tokens', 4_808)],
      [10, usedUp(220, 2_626, 'tokens', 4_698)],
      [14, usedUp(330, 2_626, 'tokens', 2_297)],
    ],
  ],
  ['words that were said while the request was out', both(budget(6_664, null), insert(2, SAID)), []],
  [
    'words that were said before a result',
    both(budget(4_920, null), set(1, 'nextCost.tokens', 1), insert(6, SAID)),
    [[15, usedUp(330, 4_920, 'tokens', 4_658)]],
  ],
  [
    'words that were said before the last result',
    both(budget(4_919, null), set(1, 'nextCost.tokens', 1), insert(6, SAID)),
    [
      [8, usedUp(110, 4_919, 'tokens', 4_810)],
      [15, usedUp(330, 4_919, 'tokens', 4_658)],
    ],
  ],
  [
    'a request that was aborted before',
    both(budget(7_663, 16_856_000), insert(2, ABORTED)),
    [[3, usedUp(1_000, 7_663, 'tokens', 6_664)]],
  ],
  [
    'the money of a request that was aborted before',
    both(budget(7_664, 16_855_999), insert(2, ABORTED)),
    [[3, usedUp(2_000_000, 16_855_999, 'nano-dollars', 14_856_000)]],
  ],
];

describe('the ceiling of a budget', () => {
  it.each(ROWS)('with %s names each request beyond it', (_, damage, expected) => {
    expect(ceilingViolations(parseJournal(damage(clean())))).toEqual(
      expected.map(([line, message]) => ({ line, invariant: 4, message })),
    );
  });

  it('is not looked for without a header', () => {
    expect(ceilingViolations(parseJournal(clean().slice(1)))).toEqual([]);
  });
});
