import { describe, expect, it } from 'vitest';
import { costOf, totalOf } from '../../src/verify/cost.ts';

const CARD = { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
const ABOVE = { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 };
const PRICE = { ...CARD, above: { promptTokens: 1_000, price: ABOVE } };

const message = (input: number, output: number) => ({
  type: 'message',
  input_tokens: input,
  output_tokens: output,
});
const cached = {
  input_tokens: 1,
  cache_read_input_tokens: 20,
  cache_creation_input_tokens: 300,
  output_tokens: 4,
};
const kept = (hour: number, minutes: number) => ({
  cache_creation: { ephemeral_1h_input_tokens: hour, ephemeral_5m_input_tokens: minutes },
});
const searches = (count: unknown) => ({ server_tool_use: { web_search_requests: count } });

/** What the API says that was used, and what that is in tokens and nano-dollars. */
const ROWS: readonly (readonly [string, object, number, number | null])[] = [
  ['nothing', {}, 0, 0],
  ['a prompt and an answer', { input_tokens: 100, output_tokens: 10 }, 110, 150_000],
  ['a cache that is read and written', cached, 325, 1_000 + 2_000 + 375_000 + 20_000],
  ['what is kept for an hour', { ...kept(300, 0), cache_creation_input_tokens: 300 }, 300, 600_000],
  ['what is kept for both times', { ...kept(100, 200), cache_creation_input_tokens: 300 }, 300, 450_000],
  ['what is kept, said without a sum', kept(100, 200), 300, 450_000],
  ['no cache', { input_tokens: 1, cache_creation: null }, 1, 1_000],
  ['a cache that is a list', { input_tokens: 1, cache_creation: [] }, 1, 1_000],
  ['a prompt at the threshold', { input_tokens: 1_000, output_tokens: 1 }, 1_001, 1_005_000],
  ['a prompt above the threshold', { input_tokens: 1_001, output_tokens: 1 }, 1_002, 2_012_000],
  [
    'a prompt above the threshold with what is cached',
    { input_tokens: 1, cache_read_input_tokens: 500, cache_creation_input_tokens: 500 },
    1_001,
    2_000 + 100_000 + 1_250_000,
  ],
  ['what stays in the US', { input_tokens: 100, inference_geo: 'us' }, 100, 110_000],
  ['what goes anywhere', { input_tokens: 100, inference_geo: 'global' }, 100, 100_000],
  ['a batch', { input_tokens: 100, service_tier: 'batch' }, 100, 50_000],
  ['what is no batch', { input_tokens: 100, service_tier: 'standard' }, 100, 100_000],
  ['a batch in the US', { input_tokens: 100, service_tier: 'batch', inference_geo: 'us' }, 100, 55_000],
  ['two searches', { input_tokens: 1, ...searches(2) }, 1, 20_001_000],
  ['searches that nobody counted', { input_tokens: 1, ...searches('2') }, 1, 1_000],
  ['no searches', { input_tokens: 1, server_tool_use: null }, 1, 1_000],
  ['counts that are none', { input_tokens: -5, output_tokens: 0.5, cache_read_input_tokens: '9' }, 0, 0],
  ['an endless count', { input_tokens: 1e300 }, 1e9, 2e12],
  ['endless counts', { iterations: Array.from({ length: 20 }, () => message(1e9, 1e9)) }, 1e10, 1e13],
  ['two samplings', { iterations: [message(900, 1), message(900, 2)], input_tokens: 1 }, 1_803, 1_815_000],
  [
    'samplings that say less than the sum',
    { iterations: [message(10, 5)], input_tokens: 10, output_tokens: 6 },
    16,
    40_000,
  ],
  [
    'samplings that say as much as the sum',
    { iterations: [message(9, 6)], input_tokens: 10, output_tokens: 5 },
    15,
    39_000,
  ],
  ['no samplings', { iterations: [], input_tokens: 10 }, 10, 10_000],
  ['samplings that are none', { iterations: ['x', null, []], input_tokens: 10 }, 10, 10_000],
  ['samplings in a word', { iterations: 'x', input_tokens: 10 }, 10, 10_000],
  ['an advisor', { iterations: [message(1, 1), { ...message(2, 2), type: 'advisor_message' }] }, 6, null],
  ['another model that took over', { iterations: [{ ...message(2, 2), type: 'fallback_message' }] }, 4, null],
];

describe('the cost that a verifier works out', () => {
  it.each(ROWS)('of %s is %j: %d tokens, %d nano-dollars', (_, usage, tokens, nanoUsd) => {
    expect(costOf({ ...usage }, PRICE)).toEqual({ tokens, nanoUsd });
  });

  it('is rounded up to a whole nano-dollar', () => {
    const price = { ...CARD, input: 0.0001 };
    expect(costOf({ input_tokens: 1 }, price)).toEqual({ tokens: 1, nanoUsd: 1 });
    expect(costOf({ input_tokens: 11 }, price)).toEqual({ tokens: 11, nanoUsd: 2 });
  });

  it('is of one card where the price has no threshold', () => {
    expect(costOf({ input_tokens: 1_001 }, CARD)).toEqual({ tokens: 1_001, nanoUsd: 1_001_000 });
  });

  it('is nothing without a price, whoever answered', () => {
    const usage = { iterations: [{ ...message(2, 2), type: 'fallback_message' }] };
    expect(costOf(usage, null)).toEqual({ tokens: 4, nanoUsd: 0 });
  });

  it('is summed up over responses', () => {
    expect(totalOf([cached, { iterations: [message(10, 5), message(20, 6)] }, {}])).toEqual({
      inputTokens: 31,
      outputTokens: 15,
      cacheReadTokens: 20,
      cacheWriteTokens: 300,
    });
  });
});
