import { describe, it } from 'vitest';
import { expectRow, type Row } from './support/rows.ts';
import { failure, replies, text, toolUse } from './support/world.ts';

const reads = (id: string) => replies([toolUse(id)]);
/** USD per million tokens. */
const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };

const ROWS: readonly Row[] = [
  {
    rule: 'C12: a response that crosses the budget is the answer when it is one',
    world: {
      turns: [replies([text('X')], 'end_turn', { input_tokens: 90_000, output_tokens: 1_000 })],
      limits: { budget: { nanoUsd: null, tokens: 50_000 } },
    },
    expected: { reason: 'end_turn', answer: 'X' },
  },
  {
    rule: 'C12: a response that crosses the budget with calls is closed without running them',
    world: {
      turns: [replies([toolUse('a')], 'tool_use', { input_tokens: 90_000, output_tokens: 1_000 })],
      limits: { budget: { nanoUsd: null, tokens: 50_000 } },
    },
    expected: { reason: 'budget', summary: 'skipped' },
    story: ['model.called_tools', 'tool.finished'],
    ran: [],
  },
  {
    rule: 'C01: cache reads and writes count for the budget, before the calls run',
    world: {
      turns: [
        replies([toolUse('a')], 'tool_use', {
          input_tokens: 7,
          cache_read_input_tokens: 9_000,
          cache_creation_input_tokens: 1_000,
          output_tokens: 50,
        }),
      ],
      limits: { budget: { nanoUsd: null, tokens: 8_000 } },
      header: { price },
    },
    expected: {
      reason: 'budget',
      // (7 × 3 + 9,000 × 0.3 + 1,000 × 3.75 + 50 × 15) / 1,000,000
      costUsd: 0.007_221,
      usage: { inputTokens: 7, cacheReadTokens: 9_000, cacheWriteTokens: 1_000, outputTokens: 50 },
    },
    story: ['model.called_tools', 'tool.finished'],
    ran: [],
  },
  {
    rule: 'C13: budget is the reason only when it stopped something',
    world: {
      turns: [reads('a'), replies([text('X')], 'end_turn', { input_tokens: 300_000, output_tokens: 1_000 })],
      limits: { budget: { nanoUsd: null, tokens: 100_000 } },
    },
    expected: { reason: 'end_turn', answer: 'X' },
  },
  {
    rule: 'C17: a budget in tokens counts the whole prompt of every request again',
    world: {
      turns: Array.from({ length: 20 }, (_, n) =>
        replies([toolUse(`c${n}`)], 'tool_use', { input_tokens: 20_000, output_tokens: 100 }),
      ),
      limits: { budget: { nanoUsd: null, tokens: 300_000 }, maxTurns: 30 },
    },
    // After 13 turns 261,300 are spent; one more turn and its summary could take 44,000. Turn 14 is the summary.
    expected: { reason: 'budget', turns: 14 },
  },
  {
    rule: 'a budget that no request fits is refused before anything is sent',
    world: { turns: [], limits: { budget: { nanoUsd: null, tokens: 100 } } },
    expected: { reason: 'budget', turns: 0, summary: 'skipped' },
    story: [],
  },
  {
    rule: 'C20: a response without usage is charged its bound, and the total is marked incomplete',
    world: { turns: [replies([text('X')], 'end_turn', null)] },
    expected: { reason: 'end_turn', isUsageIncomplete: true, usage: { inputTokens: 0, outputTokens: 0 } },
  },
  {
    rule: 'C21: a failed attempt counts with its usage, not with its text',
    world: {
      turns: [
        failure({ usage: { input_tokens: 1_000, output_tokens: 1 }, billing: 'partial' }),
        replies([text('once')], 'end_turn', { input_tokens: 1_000, output_tokens: 5 }),
      ],
    },
    expected: { answer: 'once', usage: { inputTokens: 2_000 }, isUsageIncomplete: true },
  },
];

describe('the budget of a run', () => {
  it.each(ROWS)('$rule', expectRow);
});
