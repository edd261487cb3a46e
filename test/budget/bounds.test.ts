import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boundsFor,
  fitMaxTokens,
  MIN_MAX_TOKENS,
  promptBound,
  promptCost,
  requestBound,
} from '../../src/budget/bounds.ts';
import { priceOf } from '../../src/budget/prices.ts';
import type { Fact, FactOf, ModelReply } from '../../src/ports.ts';
import { runs } from '../properties/runs.ts';
import { play, replies, text, toolUse } from '../support/world.ts';

const haiku = priceOf('claude-haiku-5-5');

describe('bounds', () => {
  it.each([
    // 0.10 and 0.50 USD per million: 100 and 500 nano-dollars a token.
    { prompt: 1_000, output: 1_000, nanoUsd: 100_000 + 500_000 },
    { prompt: 100_000, output: 0, nanoUsd: 10_000_000 },
    // Above 100,000 prompt tokens the whole request costs five times as much.
    { prompt: 100_001, output: 1_000, nanoUsd: 50_000_500 + 2_500_000 },
  ])('of a request with $prompt and $output tokens of Haiku 5.5 are $nanoUsd nano-dollars', (row) => {
    const bound = requestBound(row.prompt, row.output, haiku);
    expect(bound).toEqual({ nanoUsd: row.nanoUsd, tokens: row.prompt + row.output });
  });

  it('of a turn leave room for the summary after it', () => {
    expect(boundsFor(1_000, haiku)).toEqual({
      summaryCost: { nanoUsd: 2_024 * 100 + 1_024 * 500, tokens: 3_048 },
      nextCost: {
        nanoUsd: 1_000 * 100 + 1_024 * 500 + (1_000 + 1_024 + 64 + 1_024) * 100 + 1_024 * 500,
        tokens: 2_024 + 3_112 + 1_024,
      },
    });
  });

  it('of text that takes a prompt over the threshold know of the higher price', () => {
    expect(promptCost(10_000, 10_100, haiku)).toEqual({
      next: { nanoUsd: 20_000, tokens: 200 },
      summary: { nanoUsd: 10_000, tokens: 100 },
    });
    expect(promptCost(98_950, 99_050, haiku).summary.nanoUsd).toBeGreaterThan(30_000_000);
    // Only the summary behind the turn is beyond it.
    expect(promptCost(97_850, 97_950, haiku).next.nanoUsd).toBeGreaterThan(30_000_000);
    expect(promptCost(97_850, 97_950, haiku).summary.nanoUsd).toBe(10_000);
  });
});

const rooms = fc.record({
  request: fc.constantFrom('turn' as const, 'summary' as const),
  wanted: fc.integer({ min: 1, max: 64_000 }),
  prompt: fc.integer({ min: 1, max: 150_000 }),
  price: fc.constant(haiku),
  budget: fc.record({
    nanoUsd: fc.option(fc.integer({ min: 1, max: 200_000_000 })),
    tokens: fc.option(fc.integer({ min: 1, max: 500_000 })),
  }),
  spent: fc.record({ nanoUsd: fc.nat(50_000_000), tokens: fc.nat(100_000) }),
});

const answer: FactOf<'model.answered'> = {
  type: 'model.answered',
  request: 'turn',
  calls: [],
  message: {
    id: 'msg_1',
    model: 'test-model',
    content: [text('Yes.')],
    stopReason: 'end_turn',
    stopSequence: null,
    stopDetails: null,
  },
  instruction: null,
  usage: { input_tokens: 500, output_tokens: 20 },
  billing: 'reported',
  requestId: null,
  maxTokens: 1_024,
  durationMs: 0,
  heard: 0,
  cost: { nanoUsd: 0, tokens: 0 },
  nextCost: { nanoUsd: 0, tokens: 0 },
  summaryCost: { nanoUsd: 0, tokens: 0 },
};
const result: Fact = {
  type: 'tool.finished',
  callId: 'a',
  outcome: { kind: 'succeeded', content: '汉字' },
  durationMs: 0,
  promptCost: { next: { nanoUsd: 0, tokens: 0 }, summary: { nanoUsd: 0, tokens: 0 } },
};
const says = (words: string): Fact => ({
  type: 'user.interjected',
  text: words,
  promptCost: { next: { nanoUsd: 0, tokens: 0 }, summary: { nanoUsd: 0, tokens: 0 } },
});

describe('the bound of the next prompt', () => {
  /** 5 bytes of system, 2 of tools, 1,024 that the API adds, 3 bytes of task in their frame of 64. */
  const FIRST = 5 + 2 + 1_024 + 3 + 64;

  it.each<readonly [title: string, facts: readonly Fact[], tokens: number]>([
    ['at the start is what the header says', [], FIRST],
    ['grows by the bytes of a result and its frame', [result], FIRST + 6 + 64],
    ['grows by what the user says', [says('one'), says('three')], FIRST + 3 + 64 + 5 + 64],
    ['is what the API has counted, with the response and its frame', [result, answer], 500 + 20 + 64],
    ['knows that a request has carried what was said', [says('one'), { ...answer, heard: 1 }], 500 + 20 + 64],
    [
      'adds what was said while a request was out',
      [says('one'), says('three'), { ...answer, heard: 1 }],
      500 + 20 + 64 + 5 + 64,
    ],
    [
      'adds all of it, when the request carried none',
      [says('one'), says('three'), answer],
      500 + 20 + 64 + 3 + 64 + 5 + 64,
    ],
    [
      'grows by the bytes of a response whose usage is not known',
      [{ ...answer, usage: null, billing: 'unknown' }],
      FIRST + JSON.stringify([text('Yes.')]).length + 64,
    ],
    [
      'takes no count from a stream that broke off',
      [{ ...answer, billing: 'partial' }],
      FIRST + JSON.stringify([text('Yes.')]).length + 64,
    ],
  ])('%s', (_, facts, tokens) => {
    expect(promptBound({ system: 'Test.', tools: [], task: 'Do.' }, facts)).toBe(tokens);
  });
});

describe('max_tokens of a request', () => {
  const SPENT = { nanoUsd: 300, tokens: 7 };
  /** A turn of 1,000 + 2,000 tokens, and the summary after it. */
  const TURN_TOKENS = 3_000 + (3_000 + 64 + 1_024) + 1_024;
  const TURN_NANO_USD = (1_000 + 3_000 + 64 + 1_024) * 100 + (2_000 + 1_024) * 500;

  it.each([
    ['summary', 'tokens', 3_000 + 7, 2_000],
    ['summary', 'tokens', 3_000 + 6, 1_999],
    ['summary', 'nanoUsd', 1_000 * 100 + 2_000 * 500 + 300, 2_000],
    ['summary', 'nanoUsd', 1_000 * 100 + 2_000 * 500 + 299, 1_999],
    ['turn', 'tokens', TURN_TOKENS + 7, 2_000],
    ['turn', 'tokens', TURN_TOKENS + 6, 1_999],
    ['turn', 'nanoUsd', TURN_NANO_USD + 300, 2_000],
    ['turn', 'nanoUsd', TURN_NANO_USD + 299, 1_999],
    ['turn', 'tokens', 7, 1_024],
    ['turn', 'tokens', 1_000_000, 16_000],
  ] as const)('a %s with a budget of %s %d has %d', (request, unit, budget, expected) => {
    const limits = { nanoUsd: null, tokens: null, [unit]: budget };
    const room = { request, wanted: 16_000, prompt: 1_000, price: haiku, budget: limits, spent: SPENT };
    expect(fitMaxTokens(room)).toBe(expected);
  });

  it('is never above what is wanted, and never below 1,024 unless less is wanted', () => {
    fc.assert(
      fc.property(rooms, (room) => {
        const fitted = fitMaxTokens(room);
        expect(fitted).toBeLessThanOrEqual(room.wanted);
        expect(fitted).toBeGreaterThanOrEqual(Math.min(MIN_MAX_TOKENS, room.wanted));
      }),
    );
  });

  it('grows with the budget', () => {
    fc.assert(
      fc.property(rooms, fc.nat(1_000_000), (room, more) => {
        const { nanoUsd, tokens } = room.budget;
        const larger = {
          nanoUsd: nanoUsd === null ? null : nanoUsd + more,
          tokens: tokens === null ? null : tokens + more,
        };
        expect(fitMaxTokens({ ...room, budget: larger })).toBeGreaterThanOrEqual(fitMaxTokens(room));
      }),
    );
  });
});

describe('a budget', () => {
  const budgetedRuns = fc.record({
    budget: fc.oneof(
      fc.record({ nanoUsd: fc.integer({ min: 100_000, max: 20_000_000 }), tokens: fc.constant(null) }),
      fc.record({ nanoUsd: fc.constant(null), tokens: fc.integer({ min: 1_000, max: 100_000 }) }),
    ),
    /** Tokens per byte: the API counts the same text the same way in each request. */
    density: fc.double({ min: 0.1, max: 0.95, noNaN: true }),
    /** Share of its `max_tokens` that each response uses. */
    shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 }),
    resultLength: fc.nat(20_000),
  });

  it('is a ceiling: whatever the API uses within its bounds, no more than it is ever spent', async () => {
    await fc.assert(
      fc.asyncProperty(budgetedRuns, async ({ budget, density, shares, resultLength }) => {
        const played = await play({
          header: { price: haiku },
          limits: { budget, maxTurns: 12 },
          box: { run: async () => ({ kind: 'succeeded', content: 'x'.repeat(resultLength) }) },
          turns: shares.map((share, index) => (request): ModelReply => {
            const bytes = Buffer.byteLength(
              JSON.stringify([request.system, request.tools, request.messages]),
            );
            const usage = {
              input_tokens: Math.max(1, Math.floor(bytes * density)),
              // No fewer than the response will count for when it comes back.
              output_tokens: Math.max(120, Math.floor(request.max_tokens * share)),
            };
            return request.tool_choice === undefined
              ? replies([toolUse(`c${index}`)], 'tool_use', usage)
              : replies([text('Summary.')], 'end_turn', usage);
          }),
        });
        const spent = played.facts.reduce(
          (sum, fact) =>
            'cost' in fact
              ? { nanoUsd: sum.nanoUsd + fact.cost.nanoUsd, tokens: sum.tokens + fact.cost.tokens }
              : sum,
          { nanoUsd: 0, tokens: 0 },
        );
        expect(spent.nanoUsd).toBeLessThanOrEqual(budget.nanoUsd ?? Infinity);
        expect(spent.tokens).toBeLessThanOrEqual(budget.tokens ?? Infinity);
      }),
      runs(300),
    );
  });
});
