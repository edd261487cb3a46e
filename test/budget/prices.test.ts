import { describe, expect, it } from 'vitest';
import { parsePrice, priceOf, PRICES } from '../../src/budget/prices.ts';

describe('priceOf', () => {
  it.each([
    // id, in, out, 5m, 1h, read: USD per million tokens, row by row as the price page has them
    ['claude-fable-5-1', 10, 50, 12.5, 20, 0.25],
    ['claude-mythos-5-1', 10, 50, 12.5, 20, 0.25],
    ['claude-fable-5', 10, 50, 12.5, 20, 1],
    ['claude-mythos-5', 10, 50, 12.5, 20, 1],
    ['claude-opus-5-5', 4, 20, 5, 8, 0.2],
    ['claude-opus-5', 5, 25, 6.25, 10, 0.5],
    ['claude-opus-4-8', 5, 25, 6.25, 10, 0.5],
    ['claude-opus-4-7', 5, 25, 6.25, 10, 0.5],
    ['claude-opus-4-6', 5, 25, 6.25, 10, 0.5],
    ['claude-opus-4-5', 5, 25, 6.25, 10, 0.5],
    ['claude-sonnet-5-5', 2, 10, 2.5, 4, 0.1],
    ['claude-sonnet-5', 2, 10, 2.5, 4, 0.2],
    ['claude-sonnet-4-6', 3, 15, 3.75, 6, 0.3],
    ['claude-sonnet-4-5', 3, 15, 3.75, 6, 0.3],
    ['claude-haiku-4-5', 1, 5, 1.25, 2, 0.1],
  ])(
    '%s costs %d in, %d out, %d and %d to write, %d to read',
    (id, input, output, write5m, write1h, read) => {
      expect(priceOf(id)).toEqual({
        input,
        output,
        cacheRead: read,
        cacheWrite5m: write5m,
        cacheWrite1h: write1h,
      });
    },
  );

  it('Haiku 5.5 has a second card, five times the first, above 100,000 tokens of prompt', () => {
    expect(priceOf('claude-haiku-5-5')).toEqual({
      input: 0.1,
      output: 0.5,
      cacheRead: 0.01,
      cacheWrite5m: 0.125,
      cacheWrite1h: 0.2,
      above: {
        promptTokens: 100_000,
        price: { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite5m: 0.625, cacheWrite1h: 1 },
      },
    });
  });

  it.each([
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['claude-haiku-5-5-20261007', 'claude-haiku-5-5'],
  ])('the dated id %s has the price of %s', (dated, family) => {
    expect(priceOf(dated)).toBe(PRICES[family]?.price);
  });

  it.each([
    'claude-fable-5-2',
    'claude-opus-4-20250514',
    'claude-haiku-4-5-latest',
    'claude-haiku-4-5-2025',
    'qwen3:8b',
    'constructor',
    '__proto__',
    '',
  ])('the price of "%s" is not known', (id) => {
    expect(priceOf(id)).toBeNull();
  });

  it('every entry has a source and a day or a month', () => {
    for (const { asOf, source } of Object.values(PRICES)) {
      expect(asOf).toMatch(/^\d{4}-\d{2}(-\d{2})?$/);
      expect(source).toMatch(/^https:\/\//);
    }
  });
});

describe('parsePrice', () => {
  it.each([
    ['in=1,out=5', { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 }],
    ['out=15,in=3', { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 }],
    ['in=4,out=20,read=0.2', { input: 4, output: 20, cacheRead: 0.2, cacheWrite5m: 5, cacheWrite1h: 8 }],
    [
      ' in = .5 , out=2, read=0, write5m=0.7,write1h=0.9 ',
      { input: 0.5, output: 2, cacheRead: 0, cacheWrite5m: 0.7, cacheWrite1h: 0.9 },
    ],
    [
      'in=1.25,out=.75,read=0,write5m=0,write1h=0',
      { input: 1.25, output: 0.75, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
    ],
    [
      'in=1000,out=0,read=0,write5m=0,write1h=0',
      { input: 1000, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
    ],
    ['in=0,out=0', { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }],
  ])('reads "%s"', (text, price) => {
    expect(parsePrice(text)).toEqual(price);
  });

  it.each([
    ['', '"" is none of its parts'],
    ['in=1', '"in" and "out" are both needed'],
    ['out=1,read=2', '"in" and "out" are both needed'],
    ['in=1,out=5,in=2', '"in" is there twice'],
    ['in=1,out=5,', '"" is none of its parts'],
    ['in=1,out=5,cached=1', '"cached=1" is none of its parts'],
    ['in=1,out=5,toString=1', '"toString=1" is none of its parts'],
    ['in=-1,out=5', '"in=-1" is none of its parts'],
    ['in=1e3,out=5', '"in=1e3" is none of its parts'],
    ['in=NaN,out=5', '"in=NaN" is none of its parts'],
    ['in=Infinity,out=5', '"in=Infinity" is none of its parts'],
    ['in=$1,out=5', '"in=$1" is none of its parts'],
    ['in=1,out=5000', '"out=5000" is above 1000 USD per million tokens'],
    ['in=1, out=1001 ', '"out=1001" is above 1000 USD per million tokens'],
    ['$in=1,out=5', '"$in=1" is none of its parts'],
    ['in=1, out ', '"out" is none of its parts'],
    ['1,5', '"1" is none of its parts'],
  ])('refuses "%s" and says what would be right', (text, problem) => {
    expect(() => parsePrice(text)).toThrow(problem);
    expect(() => parsePrice(text)).toThrow('such as in=1,out=5');
  });
});
