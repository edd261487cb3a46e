import { describe, expect, it } from 'vitest';
import { parseJournal } from '../../src/verify/lines.ts';
import { spendViolations } from '../../src/verify/spend.ts';
import { both, clean, set, type Damage } from './recorded.ts';

const UNKNOWN = 'model.called_tools says nothing of its usage, and costs less than it could have.';
const notBilled = (tokens: number) => `model.called_tools was not billed, and costs ${tokens} tokens.`;

const PRICE = { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
const dearer = { promptTokens: 1, price: { ...PRICE, output: 10 } };
const cheaper = { promptTokens: 1, price: { ...PRICE, output: 3 } };

const charged = (billing: string, tokens: number, nanoUsd: number): Damage =>
  both(set(7, 'billing', billing), set(7, 'cost', { tokens, nanoUsd }));

/** The request of line 7 may answer with 16,000 tokens, at 5 USD per million. */
const ROWS: readonly (readonly [string, Damage, readonly string[]])[] = [
  ['all that it could cost', charged('unknown', 16_000, 80_000_000), []],
  ['a token less than it could cost', charged('unknown', 15_999, 80_000_000), [UNKNOWN]],
  ['a nano-dollar less than it could cost', charged('unknown', 16_000, 79_999_999), [UNKNOWN]],
  [
    'all that it could cost by tokens, without a price',
    both(set(1, 'price', null), charged('unknown', 16_000, 0)),
    [],
  ],
  [
    'a token less than it could cost, without a price',
    both(set(1, 'price', null), charged('unknown', 15_999, 0)),
    [UNKNOWN],
  ],
  [
    'all that it could cost by the lower of two prices',
    both(set(1, 'price', { ...PRICE, above: dearer }), charged('unknown', 16_000, 80_000_000)),
    [],
  ],
  [
    'all that it could cost by the other of two prices, where that is the lower one',
    both(set(1, 'price', { ...PRICE, above: cheaper }), charged('unknown', 16_000, 48_000_000)),
    [],
  ],
  ['nothing, where it was not billed', charged('none', 0, 0), []],
  ['a token, where it was not billed', charged('none', 1, 0), [notBilled(1)]],
  ['a nano-dollar, where it was not billed', charged('none', 0, 1), [notBilled(0)]],
];

describe('what a response cost', () => {
  it.each(ROWS)('is held against its bound: it is charged %s', (_, damage, expected) => {
    const found = spendViolations(parseJournal(damage(clean())));
    expect(found.filter(({ line }) => line === 7).map(({ message }) => message)).toEqual(expected);
  });
});
