import { describe, expect, it } from 'vitest';
import type { ToolOutcome } from '../src/ports.ts';
import { failure, fakeClock, play, replies, text, toolUse, type World } from './support/world.ts';

const reads = (id: string) => replies([toolUse(id)]);
const answers = (words = 'Done.') => replies([text(words)]);

interface Row {
  readonly rule: string;
  readonly world: World;
  readonly expected: Record<string, unknown>;
  readonly story?: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    rule: 'an answer ends the run',
    world: { turns: [answers()] },
    expected: { reason: 'end_turn', answer: 'Done.', answerFrom: 'closing_turn', turns: 1, summary: null },
    story: ['model.answered'],
  },
  {
    rule: 'tools run and their results go back',
    world: { turns: [reads('a'), answers()] },
    expected: { reason: 'end_turn', turns: 2 },
    story: ['model.called_tools', 'tool.started', 'tool.finished', 'model.answered'],
  },
  {
    rule: 'B02: at the turn limit the last turn is a summary, and its text is the answer',
    world: { turns: [reads('a'), reads('b'), answers('Summary.')], limits: { maxTurns: 3 } },
    expected: { reason: 'max_turns', answer: 'Summary.', summary: 'answered', turns: 3 },
  },
  {
    rule: 'B04, B09: a summary that calls a tool all the same is the answer with its text, and the call is closed',
    world: {
      turns: [reads('a'), replies([text('partial'), toolUse('x')])],
      limits: { maxTurns: 2 },
    },
    expected: { reason: 'max_turns', answer: 'partial', summary: 'called_tools' },
  },
  {
    rule: 'B09, B10: when the closing turn has no text, the last text of the run is the answer, and is marked',
    world: { turns: [replies([text('ANSWER'), toolUse('a')]), replies([])] },
    expected: { reason: 'end_turn', answer: 'ANSWER', answerFrom: 'earlier_turn' },
  },
  {
    rule: 'B11: a turn that only calls a tool has no text to fall back to',
    world: { turns: [replies([text('A'), toolUse('a')]), reads('b'), replies([])] },
    expected: { answer: 'A', answerFrom: 'earlier_turn' },
  },
  {
    rule: 'an end_turn without anything is an empty answer',
    world: { turns: [replies([])] },
    expected: { reason: 'end_turn', answer: '', answerFrom: 'none' },
  },
  {
    rule: 'a retry is the same turn',
    world: { turns: [failure(), failure(), answers()] },
    expected: { reason: 'end_turn', turns: 1 },
    story: ['model.failed', 'retry.due', 'model.failed', 'retry.due', 'model.answered'],
  },
  {
    rule: 'G10: a permanent failure is asked exactly five times',
    world: { turns: Array.from({ length: 5 }, () => failure()) },
    expected: { reason: 'model_failed', turns: 0, failure: { status: 529 } },
  },
  {
    rule: 'a failure that cannot be retried is asked once',
    world: { turns: [failure({ isRetryable: false })] },
    expected: { reason: 'model_failed' },
  },
  {
    rule: 'a model that throws has failed, and its request is charged as if it had been answered',
    world: { turns: [() => Promise.reject(new Error('broken'))] },
    expected: {
      reason: 'model_failed',
      isUsageIncomplete: true,
      failure: { message: expect.stringContaining('broken') },
    },
  },
  {
    rule: 'an overflow has its own reason',
    world: { turns: [reads('a'), failure({ isRetryable: false, reason: 'context_window' })] },
    expected: { reason: 'context_window' },
  },
  {
    rule: 'the partial text of a refusal is not the answer',
    world: { turns: [reads('a'), replies([text('I was about to'), toolUse('b')], 'refusal')] },
    expected: { reason: 'refusal', answer: '', answerFrom: 'none' },
  },
  {
    rule: 'B23: calls of a truncated response do not run, though it is asked again with more room',
    world: {
      turns: [1, 2, 3].map((n) => replies([toolUse(`t${n}`, 'write')], 'max_tokens')),
    },
    expected: { reason: 'max_tokens', turns: 1 },
  },
  {
    rule: 'an unknown stop_reason fails, and runs nothing',
    world: { turns: [replies([toolUse('a')], 'weird')] },
    expected: { reason: 'model_failed', failure: { errorType: 'protocol' } },
  },
  {
    rule: 'A04: two calls with one id fail the run and never reach history',
    world: { turns: [replies([toolUse('a'), toolUse('a')])] },
    expected: { reason: 'model_failed', failure: { errorType: 'protocol' } },
  },
  {
    rule: 'an id of an earlier turn fails the run',
    world: { turns: [reads('a'), reads('a')] },
    expected: { reason: 'model_failed', failure: { errorType: 'protocol' } },
  },
  {
    rule: 'the same call failing in three turns is stuck',
    world: {
      turns: [reads('a'), reads('b'), reads('c'), answers('I give up.')],
      box: { run: async () => ({ kind: 'failed', content: 'no' }) },
    },
    expected: { reason: 'stuck', answer: 'I give up.', summary: 'answered' },
  },
  {
    rule: 'B15: an unknown tool counts like one that failed',
    world: {
      turns: ['a', 'b'].map((id) => replies([toolUse(id, 'list_files', { id })])).concat(answers('Summary.')),
      limits: { maxTurns: 3 },
    },
    expected: { reason: 'max_turns', answer: 'Summary.' },
  },
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
  },
  {
    rule: 'B09: an empty summary is no answer, and no exception',
    world: { turns: [reads('a'), replies([])], limits: { maxTurns: 2 } },
    expected: { reason: 'max_turns', answer: '', answerFrom: 'none', summary: 'answered' },
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
  {
    rule: 'a paused turn is sent back as it is',
    world: { turns: [replies([text('so far')], 'pause_turn'), answers('and done')] },
    expected: { reason: 'end_turn', turns: 1, answer: 'so far\n\nand done' },
  },
];

describe('the loop', () => {
  it.each(ROWS)('$rule', async ({ world, expected, story }) => {
    const played = await play(world);
    expect(played.result).toMatchObject(expected);
    if (story) expect(played.story).toEqual(story);
    expect(played.lines.at(-1)).toMatchObject({ type: 'run.ended', result: played.result });
  });

  it('asks the summary with tools defined and disabled (A15), and with the instruction behind the results', async () => {
    const { requests } = await play({ turns: [reads('a'), answers()], limits: { maxTurns: 2 } });
    expect(requests[1]).toMatchObject({ tool_choice: { type: 'none' }, tools: requests[0]?.tools });
    expect(requests[1]?.messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'result of a' },
      text('Sum up (max_turns).'),
    ]);
  });

  it('waits as long as the server asked, then half a second doubled', async () => {
    const clock = fakeClock();
    await play({
      turns: [
        failure({ failure: { status: 429, errorType: null, message: '', retryAfterMs: 3_000 } }),
        failure(),
        failure(),
        answers(),
      ],
      clock,
    });
    expect(clock.slept).toEqual([3_000, 1_000, 2_000]);
  });

  it('gives each of several reads its result in the order of the calls, though the last ends first (A02)', async () => {
    const waits: Record<string, number> = { a: 3, b: 2, c: 1 };
    const { requests, story } = await play({
      turns: [replies([toolUse('a'), toolUse('b'), toolUse('c')]), answers()],
      box: {
        run: async ({ id }): Promise<ToolOutcome> => {
          for (let tick = waits[id] ?? 0; tick > 0; tick -= 1) await Promise.resolve();
          return id === 'b' ? { kind: 'failed', content: 'broken' } : { kind: 'succeeded', content: id };
        },
      },
    });
    expect(requests[1]?.messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'a' },
      { type: 'tool_result', tool_use_id: 'b', content: 'broken', is_error: true },
      { type: 'tool_result', tool_use_id: 'c', content: 'c' },
    ]);
    expect(story.slice(1, 4)).toEqual(['tool.started', 'tool.started', 'tool.started']);
  });

  it('runs calls with effects one after the other', async () => {
    const { story } = await play({
      turns: [replies([toolUse('a', 'write'), toolUse('b', 'write')]), answers()],
    });
    expect(story.slice(1, 5)).toEqual(['tool.started', 'tool.finished', 'tool.started', 'tool.finished']);
  });

  it('starts no call before its start is recorded', async () => {
    const order: string[] = [];
    await play({
      turns: [replies([toolUse('a', 'write')]), answers()],
      box: { run: async ({ id }) => (order.push(`run ${id}`), { kind: 'succeeded', content: '' }) },
      onLine: (line) => void order.push(line.type),
    });
    expect(order.indexOf('run a')).toBeGreaterThan(order.indexOf('tool.started'));
  });
});
