import { describe, expect, it } from 'vitest';
import type { ToolOutcome } from '../src/ports.ts';
import { expectRow, type Row } from './support/rows.ts';
import { fakeClock } from './support/clocks.ts';
import { failure, play, replies, text, toolUse } from './support/world.ts';

const reads = (id: string) => replies([toolUse(id)]);
const answers = (words = 'Done.') => replies([text(words)]);

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
    ran: ['a'],
    requests: 2,
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
    rule: 'A07: an end_turn without anything is an empty answer',
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
      box: { asks: ['write'] },
      approver: { decide: () => Promise.reject(new Error('Nobody may be asked.')) },
    },
    expected: { reason: 'max_tokens', turns: 1 },
    story: ['model.truncated', 'model.truncated', 'model.truncated', 'tool.finished'],
    ran: [],
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
    story: ['model.failed'],
    requests: 1,
    ran: [],
  },
  {
    rule: 'A04: two calls that say the same have each its own result',
    world: { turns: [replies([toolUse('A'), toolUse('B')]), answers()] },
    expected: { reason: 'end_turn' },
    ran: ['A', 'B'],
    sent: [
      { type: 'tool_result', tool_use_id: 'A', content: 'result of A' },
      { type: 'tool_result', tool_use_id: 'B', content: 'result of B' },
    ],
  },
  {
    rule: 'an id of an earlier turn fails the run',
    world: { turns: [reads('a'), reads('a')] },
    expected: { reason: 'model_failed', failure: { errorType: 'protocol' } },
    ran: ['a'],
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
    story: ['model.called_tools', 'tool.finished', 'model.called_tools', 'tool.finished', 'model.answered'],
    ran: [],
    requests: 3,
    sent: [
      { type: 'tool_result', tool_use_id: 'b', content: 'No tool list_files.', is_error: true },
      text('Sum up (max_turns).'),
    ],
  },
  {
    rule: 'B09: an empty summary is no answer, and no exception',
    world: { turns: [reads('a'), replies([])], limits: { maxTurns: 2 } },
    expected: { reason: 'max_turns', answer: '', answerFrom: 'none', summary: 'answered' },
  },
  {
    rule: 'a paused turn is sent back as it is',
    world: { turns: [replies([text('so far')], 'pause_turn'), answers('and done')] },
    expected: { reason: 'end_turn', turns: 1, answer: 'so far\n\nand done' },
  },
];

describe('the loop', () => {
  it.each(ROWS)('$rule', expectRow);

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
