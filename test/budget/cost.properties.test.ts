import { type Arbitrary, anything, assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costOf, promptTokens } from '../../src/budget/cost.ts';
import { priceOf } from '../../src/budget/prices.ts';
import type { Price, Usage } from '../../src/ports.ts';

const sonnet: Price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };
const haiku = priceOf('claude-haiku-5-5');

const moreOf = (usage: Usage, field: string, more: number): Usage => ({
  ...usage,
  [field]: Number(usage[field]) + more,
});

/** What a server sends need not be what the types promise. */
const pretend: (value: object) => asserts value is Usage = () => {};

describe('for any usage and price', () => {
  it.each([NaN, Infinity, -5, 0.5, '12', null, undefined, {}, [3], true])(
    '%s is no count: it costs nothing and spoils nothing',
    (odd) => {
      const usage = {
        input_tokens: odd,
        output_tokens: 1,
        cache_read_input_tokens: odd,
        cache_creation_input_tokens: odd,
        cache_creation: { ephemeral_5m_input_tokens: odd, ephemeral_1h_input_tokens: odd },
        server_tool_use: { web_search_requests: odd },
        iterations: odd,
      };
      pretend(usage);
      expect(costOf(usage, sonnet)).toEqual({ nanoUsd: 15_000, tokens: 1 });
      expect(promptTokens(usage)).toBe(0);
    },
  );

  const counts = integer({ min: 0, max: 2_000_000 });
  const usages: Arbitrary<Usage> = record({
    input_tokens: counts,
    output_tokens: counts,
    cache_read_input_tokens: counts,
    cache_creation_input_tokens: counts,
    service_tier: constantFrom('standard', 'batch'),
    inference_geo: constantFrom('us', 'global'),
  });
  const prices = constantFrom(
    sonnet,
    ...[haiku, priceOf('claude-opus-5-5')].filter((price) => price !== null),
  );

  it('the cost is a safe integer, never negative', () => {
    assert(
      property(record({ input_tokens: anything(), output_tokens: anything() }), prices, (odd, price) => {
        pretend(odd);
        const { nanoUsd, tokens } = costOf(odd, price);
        expect(Number.isSafeInteger(nanoUsd) && nanoUsd >= 0).toBe(true);
        expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
      }),
    );
  });

  it('even the largest counts and the dearest price give a safe integer', () => {
    const dearest: Price = {
      input: 1_000,
      output: 1_000,
      cacheRead: 1_000,
      cacheWrite5m: 1_000,
      cacheWrite1h: 1_000,
    };
    const huge = Number.MAX_VALUE;
    const usage: Usage = {
      input_tokens: huge,
      output_tokens: huge,
      cache_read_input_tokens: huge,
      cache_creation_input_tokens: huge,
      inference_geo: 'us',
    };
    expect(Number.isSafeInteger(costOf(usage, dearest).nanoUsd)).toBe(true);
  });

  it('more tokens of any kind never cost less', () => {
    const fields = constantFrom(
      'input_tokens',
      'output_tokens',
      'cache_read_input_tokens',
      'cache_creation_input_tokens',
    );
    assert(
      property(usages, fields, counts, prices, (usage, field, more, price) => {
        const [less, greater] = [costOf(usage, price), costOf(moreOf(usage, field, more), price)];
        expect(greater.nanoUsd).toBeGreaterThanOrEqual(less.nanoUsd);
        expect(greater.tokens).toBe(less.tokens + more);
      }),
    );
  });

  it('two samplings in one response cost as much as in two, but for the rounding of at most 1', () => {
    const plain = record({ input_tokens: counts, output_tokens: counts, cache_read_input_tokens: counts });
    assert(
      property(plain, plain, prices, (first, second, price) => {
        const together = costOf(
          { input_tokens: 0, output_tokens: 0, iterations: [first, second] },
          price,
        ).nanoUsd;
        const apart = costOf(first, price).nanoUsd + costOf(second, price).nanoUsd;
        expect(apart - together).toBeGreaterThanOrEqual(0);
        expect(apart - together).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('the exact sum, in integers without limit, is what the cost rounds up', () => {
    assert(
      property(usages, (usage) => {
        const pico =
          BigInt(usage.input_tokens) * 3_000_000n +
          BigInt(usage.output_tokens) * 15_000_000n +
          BigInt(usage.cache_read_input_tokens ?? 0) * 300_000n +
          BigInt(usage.cache_creation_input_tokens ?? 0) * 3_750_000n;
        const tier = usage['service_tier'] === 'batch' ? 1n : 2n;
        const scaled = pico * tier * (usage['inference_geo'] === 'us' ? 11n : 10n);
        expect(BigInt(costOf(usage, sonnet).nanoUsd)).toBe((scaled + 19_999n) / 20_000n);
      }),
    );
  });
});
