import { describe, expect, it } from 'vitest';
import { Inbox } from '../src/inbox.ts';
import { expectRow, type Row } from './support/rows.ts';
import { failure, play, replies, text, toolUse } from './support/world.ts';

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

/** What the API counts beyond this makes the whole request five times as dear. */
const cheap = { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite5m: 0.125, cacheWrite1h: 0.2 };
const dear = { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite5m: 0.625, cacheWrite1h: 1 };
const twoCards = { ...cheap, above: { promptTokens: 100_000, price: dear } };

describe('the budget of a run', () => {
  it.each(ROWS)('$rule', expectRow);

  it.each([
    { what: 'a result and words of the user', said: 'x'.repeat(3_836), content: 'y'.repeat(3_836) },
    { what: 'a result alone', said: null, content: 'y'.repeat(7_700) },
    { what: 'words alone', said: 'x'.repeat(7_700), content: 'y' },
  ])('stops before a request that $what would carry over to a dearer card', async ({ said, content }) => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      turns: [
        replies([toolUse('a')], 'tool_use', { input_tokens: 95_000, output_tokens: 10 }),
        replies([text('Done.')], 'end_turn', { input_tokens: 101_000, output_tokens: 10 }),
      ],
      header: { price: twoCards },
      limits: { budget: { nanoUsd: 40_000_000, tokens: null } },
      box: {
        run: async () => {
          if (said !== null) inbox.put({ kind: 'interjection', text: said });
          await new Promise((resolve) => setImmediate(resolve));
          return { kind: 'succeeded', content };
        },
      },
    });
    expect(played.result).toMatchObject({ reason: 'budget' });
    expect(played.requests).toHaveLength(1);
  });

  it('asks for the summary while it can be paid: each part of a turn may cross to the dearer card', async () => {
    const played = await play({
      turns: [
        replies([toolUse('a')], 'tool_use', { input_tokens: 97_400, output_tokens: 10 }),
        replies([text('In short.')], 'end_turn', { input_tokens: 98_000, output_tokens: 10 }),
      ],
      header: { price: twoCards },
      // Room for a summary on the cheap card, and for a turn, but not for the summary behind it on the dear one.
      limits: { budget: { nanoUsd: 50_000_000, tokens: null } },
      box: { run: async () => ({ kind: 'succeeded', content: 'y'.repeat(536) }) },
    });
    expect(played.result).toMatchObject({ reason: 'budget', summary: 'answered' });
  });
});
