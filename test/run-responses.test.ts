/** Rows of what a response comes to. */
import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../src/ports.ts';
import { expectRow, type Row } from './support/rows.ts';
import { replies, text, toolUse } from './support/world.ts';

const answers = () => replies([text('Done.')]);
const reads = (id: string) => replies([toolUse(id)]);
const twins = [toolUse('a'), toolUse('a')];
const cut = (content: readonly ContentBlock[]) => replies(content, 'max_tokens');
const fault = (message: RegExp) => ({
  reason: 'model_failed',
  failure: { errorType: 'protocol', message: expect.stringMatching(message) },
});
/** USD per million tokens. */
const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };

const ROWS: readonly Row[] = [
  {
    rule: 'a stop sequence ends the turn like end_turn',
    world: { turns: [replies([text('Done.')], 'stop_sequence')] },
    expected: { reason: 'end_turn', answer: 'Done.' },
    story: ['model.answered'],
  },
  {
    rule: 'a full context window has its own reason, and no answer',
    world: { turns: [replies([text('Half')], 'model_context_window_exceeded')] },
    expected: { reason: 'context_window', answer: '' },
    story: ['model.overflowed'],
  },
  {
    rule: 'tool_use without a call is said to be one',
    world: { turns: [replies([text('Well.')], 'tool_use')] },
    expected: fault(/no tool call/),
  },
  {
    rule: 'an unknown stop_reason is named',
    world: { turns: [replies([text('Well.')], 'weird')] },
    expected: fault(/stop_reason "weird" is not known/),
  },
  {
    rule: 'a pause with a call fails: nothing could be sent back',
    world: { turns: [replies([toolUse('a')], 'pause_turn')] },
    expected: fault(/waits for its result/),
  },
  {
    rule: 'a pause with a call that is none fails, too',
    world: { turns: [replies([{ type: 'tool_use', id: 'a' }], 'pause_turn')] },
    expected: fault(/no name/),
  },
  {
    rule: 'two calls with one id are named',
    world: { turns: [replies(twins)] },
    expected: fault(/two tool calls have the same id/),
  },
  {
    rule: 'two calls with one id fail a truncation that is kept',
    world: { turns: [cut(twins)], limits: { maxGrowths: 0 } },
    expected: fault(/same id/),
    story: ['model.failed'],
  },
  {
    rule: 'two calls with one id are nothing in a truncation that is asked again',
    world: { turns: [cut(twins), answers()], limits: { maxGrowths: 1 } },
    expected: { reason: 'end_turn' },
    story: ['model.truncated', 'model.answered'],
  },
  {
    rule: 'an id of a response that was asked again may come back',
    world: { turns: [cut([toolUse('a')]), reads('a'), answers()] },
    expected: { reason: 'end_turn' },
    ran: ['a'],
  },
  {
    rule: 'one good call does not make up for a bad one: its id',
    world: { turns: [replies([toolUse('a'), toolUse('b c')])] },
    expected: fault(/no id of letters/),
  },
  {
    rule: 'one good call does not make up for a bad one: its input',
    world: { turns: [replies([toolUse('a'), toolUse('b', 'read', null)])] },
    expected: fault(/no JSON object/),
  },
  {
    rule: 'one good call does not make up for a bad one: its name',
    world: { turns: [replies([toolUse('a'), toolUse('b', '')])] },
    expected: fault(/name of a tool call is blank or longer than 200/),
  },
  {
    rule: 'a name of 200 characters is a name',
    world: { turns: [replies([toolUse('a', 'x'.repeat(200))]), answers()] },
    expected: { reason: 'end_turn' },
  },
  {
    rule: 'one new id does not make up for one that was used',
    world: { turns: [reads('a'), replies([toolUse('b'), toolUse('a')])] },
    expected: fault(/same id/),
  },
  {
    rule: 'a run without tools says so',
    world: { turns: [replies([toolUse('a')])], header: { tools: [] } },
    expected: fault(/the run has no tools/),
  },
  {
    rule: 'a truncation grows as often as the limit says, and twice as far each time',
    world: { turns: [1, 2, 3].map(() => cut([text('Half')])), limits: { maxGrowths: 2 } },
    expected: { reason: 'max_tokens', answer: 'Half' },
    story: ['model.truncated', 'model.truncated', 'model.truncated'],
  },
  {
    rule: 'it does not grow beyond what the model can',
    world: { turns: [1, 2].map(() => cut([text('Half')])), header: { maxTokens: 40_000 } },
    expected: { reason: 'max_tokens' },
    story: ['model.truncated', 'model.truncated'],
  },
  {
    rule: 'it does not grow where the model can no more at once',
    world: { turns: [cut([text('Half')])], header: { maxTokens: 64_000 } },
    expected: { reason: 'max_tokens' },
    story: ['model.truncated'],
  },
  {
    rule: 'it does not grow where the budget has no room: what is spent counts, this response too',
    world: {
      turns: [replies([text('Half')], 'max_tokens', { input_tokens: 100, output_tokens: 12_000 })],
      header: { maxTokens: 4_000 },
      limits: { budget: { nanoUsd: null, tokens: 20_000 } },
    },
    expected: { reason: 'max_tokens' },
    story: ['model.truncated'],
  },
  {
    rule: 'it does not grow where the budget in USD has no room',
    world: {
      turns: [replies([text('Half')], 'max_tokens', { input_tokens: 100, output_tokens: 4_000 })],
      header: { maxTokens: 4_000, price },
      // 0.06 are spent; a request with more than 4,000 and the summary behind it could take 0.10.
      limits: { budget: { nanoUsd: 155_000_000, tokens: null } },
    },
    expected: { reason: 'max_tokens' },
    story: ['model.truncated'],
  },
  {
    rule: 'a small limit does not grow to the smallest one where even that does not fit: what was paid for is the answer',
    world: {
      turns: [replies([text('Half')], 'max_tokens', { input_tokens: 1_000, output_tokens: 500 })],
      header: { maxTokens: 500 },
      limits: { budget: { nanoUsd: null, tokens: 8_000 } },
    },
    expected: { reason: 'max_tokens', answer: 'Half' },
    story: ['model.truncated'],
  },
  {
    rule: 'a turn that is paused too often says so',
    world: {
      turns: [1, 2].map(() => replies([text('so far')], 'pause_turn')),
      limits: { maxContinuations: 1 },
    },
    expected: { reason: 'model_failed', failure: { message: expect.stringContaining('paused') } },
  },
  {
    rule: 'the same tool with other input each time is not stuck',
    world: {
      turns: [1, 2, 3, 4].map((n) => replies([toolUse(`t${n}`, 'read', { n })])).concat(answers()),
      box: { run: async () => ({ kind: 'failed', content: 'no' }) },
    },
    expected: { reason: 'end_turn', turns: 5 },
  },
  {
    rule: 'other tools with the same input are not stuck',
    world: {
      turns: ['read', 'write', 'read'].map((name, n) => replies([toolUse(`t${n}`, name)])).concat(answers()),
      box: { run: async () => ({ kind: 'failed', content: 'no' }) },
    },
    expected: { reason: 'end_turn', turns: 4 },
  },
];

describe('a response', () => {
  it.each(ROWS)('$rule', expectRow);
});
