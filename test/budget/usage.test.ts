import { describe, expect, it } from 'vitest';
import { formatUsd, promptTokens, totalUsage } from '../../src/budget/cost.ts';
import type { Usage } from '../../src/ports.ts';

describe('promptTokens', () => {
  it.each<{ title: string; usage: Usage; tokens: number }>([
    {
      title: 'new, read and written tokens together',
      usage: {
        input_tokens: 7,
        output_tokens: 50,
        cache_read_input_tokens: 9_000,
        cache_creation_input_tokens: 1_000,
      },
      tokens: 10_007,
    },
    {
      title: 'the last sampling of a loop on the server, never its sum',
      usage: {
        input_tokens: 900,
        output_tokens: 3,
        iterations: [
          { type: 'message', input_tokens: 400, output_tokens: 1 },
          { type: 'message', input_tokens: 500, output_tokens: 2 },
          { type: 'compaction', input_tokens: 7_000, output_tokens: 9 },
          { type: 'advisor_message', input_tokens: 8_000, output_tokens: 9 },
        ],
      },
      tokens: 500,
    },
    {
      title: 'nothing, when there was a compaction only',
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        iterations: [{ type: 'compaction', input_tokens: 7_000, output_tokens: 9 }],
      },
      tokens: 0,
    },
  ])('are $title', ({ usage, tokens }) => {
    expect(promptTokens(usage)).toBe(tokens);
  });
});

describe('totalUsage', () => {
  it('adds up every sampling of every response', () => {
    expect(
      totalUsage([
        {
          input_tokens: 7,
          output_tokens: 50,
          cache_read_input_tokens: 9_000,
          cache_creation_input_tokens: 1_000,
        },
        {
          input_tokens: 1,
          output_tokens: 2,
          iterations: [
            { type: 'compaction', input_tokens: 300, output_tokens: 40 },
            { type: 'message', input_tokens: 1, output_tokens: 2 },
          ],
        },
      ]),
    ).toEqual({ inputTokens: 308, outputTokens: 92, cacheReadTokens: 9_000, cacheWriteTokens: 1_000 });
  });

  it('of nothing is nothing', () => {
    expect(totalUsage([])).toEqual({
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    });
  });
});

describe('formatUsd', () => {
  it.each([
    [0, '$0.00'],
    [1, '<$0.000001'],
    [1_000, '$0.000001'],
    [123_456, '$0.000123'],
    [9_999_000, '$0.009999'],
    [10_000_000, '$0.0100'],
    [10_005_000, '$0.0100'],
    [42_500_000, '$0.0425'],
    [1_000_000_000, '$1.00'],
    [1_500_000_000, '$1.50'],
    [1_234_567_890_000, '$1234.57'],
  ])('%d nano-dollars are %s', (nanoUsd, text) => {
    expect(formatUsd(nanoUsd)).toBe(text);
  });
});
