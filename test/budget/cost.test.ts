import { describe, expect, it } from 'vitest';
import { costOf } from '../../src/budget/cost.ts';
import { priceOf } from '../../src/budget/prices.ts';
import type { Price, Usage } from '../../src/ports.ts';

// Sonnet 4.6: 3 in, 15 out, 0.30 read, 3.75 and 6 to write. 1 USD per million tokens is 1,000 nano-dollars per token.
const sonnet: Price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };
const haiku = priceOf('claude-haiku-5-5');

const thousand: Usage = { input_tokens: 1_000, output_tokens: 200 };
const none: Usage = { input_tokens: 0, output_tokens: 0 };
const written = (fiveMinutes: number, oneHour: number): NonNullable<Usage['cache_creation']> => ({
  ephemeral_5m_input_tokens: fiveMinutes,
  ephemeral_1h_input_tokens: oneHour,
});

describe('costOf', () => {
  it.each<readonly [title: string, usage: Usage, nanoUsd: number, tokens: number]>([
    ['input and output: 1,000 × 3,000 + 200 × 15,000', thousand, 6_000_000, 1_200],
    [
      'C01: cache reads and writes count: 7 × 3,000 + 9,000 × 300 + 1,000 × 3,750 + 50 × 15,000',
      {
        input_tokens: 7,
        cache_read_input_tokens: 9_000,
        cache_creation_input_tokens: 1_000,
        output_tokens: 50,
      },
      21_000 + 2_700_000 + 3_750_000 + 750_000,
      10_057,
    ],
    [
      'C04: the total alone is priced as 5 minutes: 1,000 × 3,750',
      { ...none, cache_creation_input_tokens: 1_000, cache_creation: null },
      3_750_000,
      1_000,
    ],
    [
      'C04: the breakdown alone: 1,000 × 3,750',
      { ...none, cache_creation: written(1_000, 0) },
      3_750_000,
      1_000,
    ],
    [
      'C04: total and breakdown are the same tokens: 1,000 × 3,750',
      { ...none, cache_creation_input_tokens: 1_000, cache_creation: written(1_000, 0) },
      3_750_000,
      1_000,
    ],
    [
      'a mixed breakdown: 400 × 3,750 + 600 × 6,000',
      { ...none, cache_creation_input_tokens: 1_000, cache_creation: written(400, 600) },
      1_500_000 + 3_600_000,
      1_000,
    ],
    [
      'what the breakdown leaves unexplained was written for 5 minutes: 400 × 3,750 + 600 × 6,000',
      { ...none, cache_creation_input_tokens: 1_000, cache_creation: written(0, 600) },
      1_500_000 + 3_600_000,
      1_000,
    ],
    ['a batch costs half: 6,000,000 / 2', { ...thousand, service_tier: 'batch' }, 3_000_000, 1_200],
    [
      'inference in the US costs 1.1 times as much: 6,000,000 × 1.1',
      { ...thousand, inference_geo: 'us' },
      6_600_000,
      1_200,
    ],
    [
      'both together: 6,000,000 × 0.55',
      { ...thousand, service_tier: 'batch', inference_geo: 'us' },
      3_300_000,
      1_200,
    ],
    [
      'a web search is a cent, in a batch too: 6,000,000 / 2 + 3 × 10,000,000',
      {
        ...thousand,
        service_tier: 'batch',
        server_tool_use: { web_search_requests: 3 },
      },
      33_000_000,
      1_200,
    ],
    [
      'iterations are the true bill: (60,385 + 612) × 3,000 + (522 + 2,819) × 15,000',
      {
        input_tokens: 612,
        output_tokens: 2_819,
        iterations: [
          { type: 'compaction', input_tokens: 60_385, output_tokens: 522 },
          { type: 'message', input_tokens: 612, output_tokens: 2_819 },
        ],
      },
      182_991_000 + 50_115_000,
      64_338,
    ],
    [
      'an advisor has its own price (Opus 5: 5 and 25): 100 × 3,000 + 10 × 15,000 + 1,000 × 5,000 + 20 × 25,000',
      {
        input_tokens: 100,
        output_tokens: 10,
        iterations: [
          { type: 'message', model: 'claude-haiku-4-5', input_tokens: 100, output_tokens: 10 },
          { type: 'advisor_message', model: 'claude-opus-5', input_tokens: 1_000, output_tokens: 20 },
        ],
      },
      300_000 + 150_000 + 5_000_000 + 500_000,
      1_130,
    ],
    [
      'a fallback that answered in the place of the asked model has its own price, though the totals are the same (Opus 5)',
      {
        input_tokens: 1_000,
        output_tokens: 20,
        iterations: [
          { type: 'fallback_message', model: 'claude-opus-5', input_tokens: 1_000, output_tokens: 20 },
        ],
      },
      5_000_000 + 500_000,
      1_020,
    ],
    [
      'an advisor whose price is not known costs what the asked model costs: 10 × 3,000 + 1 × 15,000',
      {
        ...none,
        iterations: [{ type: 'advisor_message', model: 'someone-else', input_tokens: 10, output_tokens: 1 }],
      },
      45_000,
      11,
    ],
    [
      'a list of iterations that says less than the totals is not the bill: 1,000 × 3,000',
      { input_tokens: 1_000, output_tokens: 0, iterations: [{ type: 'message' }] },
      3_000_000,
      1_000,
    ],
    [
      'no response is billed above 10,000 USD and 10,000 million tokens, whatever a server says',
      {
        ...none,
        server_tool_use: { web_search_requests: 1e9 },
        iterations: Array.from({ length: 100 }, () => ({ input_tokens: 1e9, output_tokens: 1e9 })),
      },
      10_000_000_000_000,
      10_000_000_000,
    ],
    [
      'a dear response is billed to the nano-dollar: 900,000,001 × 3,000 + 1 × 15,000, in the US',
      { input_tokens: 900_000_001, output_tokens: 1, inference_geo: 'us' },
      2_970_000_003_300 + 16_500,
      900_000_002,
    ],
    [
      'an empty list of iterations says nothing: 1,000 × 3,000',
      { input_tokens: 1_000, output_tokens: 0, iterations: [] },
      3_000_000,
      1_000,
    ],
  ])('%s', (_, usage, nanoUsd, tokens) => {
    expect(costOf(usage, sonnet)).toEqual({ nanoUsd, tokens });
  });

  it.each([
    // The first card: 100 nano-dollars in, 500 out, 10 to read, 125 to write. The second: five times as much.
    { title: '100,000 × 100 + 10 × 500', input: 100_000, read: 0, write: 0, nanoUsd: 10_005_000 },
    { title: '100,001 × 500 + 10 × 2,500', input: 100_001, read: 0, write: 0, nanoUsd: 50_025_500 },
    { title: '1 × 100 + 99,999 × 10 + 10 × 500', input: 1, read: 99_999, write: 0, nanoUsd: 1_005_090 },
    {
      title: '1 × 500 + 60,000 × 50 + 40,000 × 625 + 10 × 2,500',
      input: 1,
      read: 60_000,
      write: 40_000,
      nanoUsd: 28_025_500,
    },
  ])(
    'Haiku 5.5, $input new, $read read and $write written: the card follows the whole prompt, $title',
    ({ input, read, write, nanoUsd }) => {
      const usage: Usage = {
        input_tokens: input,
        output_tokens: 10,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: write,
      };
      expect(costOf(usage, haiku).nanoUsd).toBe(nanoUsd);
    },
  );

  it('every sampling has the card of its own prompt: 100,001 × 500 + 1 × 100', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 100_001, output_tokens: 0 },
      { type: 'message', input_tokens: 1, output_tokens: 0 },
    ];
    expect(costOf({ input_tokens: 1, output_tokens: 0, iterations }, haiku).nanoUsd).toBe(50_000_600);
  });

  it('a fraction of a nano-dollar is rounded up, once: 1 × 0.3 → 1, 10 × 0.3 → 3', () => {
    const cheap: Price = { input: 0.0003, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    expect(costOf({ input_tokens: 1, output_tokens: 0 }, cheap).nanoUsd).toBe(1);
    expect(costOf({ input_tokens: 10, output_tokens: 0 }, cheap).nanoUsd).toBe(3);
  });

  it('without a price the tokens are counted and the money is 0', () => {
    expect(
      costOf({ input_tokens: 5, output_tokens: 2, server_tool_use: { web_search_requests: 1 } }, null),
    ).toEqual({ nanoUsd: 0, tokens: 7 });
  });
});
