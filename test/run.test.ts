import { describe, expect, it } from 'vitest';
import { Inbox } from '../src/inbox.ts';
import type { ToolOutcome } from '../src/ports.ts';
import {
  failure,
  fakeClock,
  play,
  replies,
  stoppedClock,
  text,
  toolUse,
  type Played,
  type World,
} from './support/world.ts';

const reads = (id: string) => replies([toolUse(id)]);
const answers = (words = 'Done.') => replies([text(words)]);
const never = () => new Promise<never>(() => undefined);

const stopped = ({ result }: Played) => {
  if (result.state !== 'stopped') throw new Error('The run waits.');
  return result;
};

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
    rule: 'B04: a summary that calls a tool all the same is the answer with its text, and the call is closed',
    world: {
      turns: [reads('a'), replies([text('partial'), toolUse('x')])],
      limits: { maxTurns: 2 },
    },
    expected: { reason: 'max_turns', answer: 'partial', summary: 'called_tools' },
  },
  {
    rule: 'B10: when the closing turn has no text, the last text of the run is the answer, and is marked',
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

describe('a run that is stopped', () => {
  const abortOn = (type: string, cause: 'user' | 'signal' = 'user') => {
    const inbox = new Inbox();
    return {
      inbox,
      onLine: (line: { readonly type: string }) => {
        if (line.type === type) inbox.put({ kind: 'abort', cause, by: 'test' });
      },
    };
  };

  it('while the model answers counts what was billed (C18)', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      clock: stoppedClock,
      turns: [
        (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () =>
              resolve({
                kind: 'aborted',
                usage: { input_tokens: 5_000, output_tokens: 1 },
                billing: 'partial',
              }),
            );
            inbox.put({ kind: 'abort', cause: 'signal', by: 'SIGINT' });
          }),
      ],
    });
    expect(stopped(played)).toMatchObject({
      reason: 'aborted',
      usage: { inputTokens: 5_000 },
      isUsageIncomplete: true,
    });
  });

  it('keeps a response that arrives after the order to stop', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      clock: stoppedClock,
      turns: [
        (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve(reads('late')));
            inbox.put({ kind: 'abort', cause: 'user', by: 'test' });
          }),
      ],
    });
    expect(played.story).toEqual(['model.called_tools', 'run.aborted', 'tool.finished']);
    expect(stopped(played).reason).toBe('aborted');
    expect(played.ran).toEqual([]);
  });

  it('while tools run closes every call, each with what became of it', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      clock: stoppedClock,
      turns: [replies([toolUse('a', 'write'), toolUse('b', 'write')])],
      box: {
        run: (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({ kind: 'interrupted', content: 'so far' }));
            inbox.put({ kind: 'abort', cause: 'user', by: 'test' });
          }),
      },
    });
    expect(played.story).toEqual([
      'model.called_tools',
      'tool.started',
      'run.aborted',
      'tool.finished',
      'tool.finished',
    ]);
    const outcomes = played.facts.flatMap((fact) =>
      fact.type === 'tool.finished' ? [fact.outcome.kind] : [],
    );
    expect(outcomes).toEqual(['interrupted', 'not_run']);
    expect(stopped(played).reason).toBe('aborted');
  });

  it('does not wait for a tool that does not end: its call is interrupted', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      turns: [replies([toolUse('a', 'write')])],
      box: { run: () => (inbox.put({ kind: 'abort', cause: 'user', by: 'test' }), never()) },
    });
    expect(played.facts.at(-1)).toMatchObject({ type: 'tool.finished', outcome: { kind: 'interrupted' } });
  });

  it('between two effects does not begin the next one', async () => {
    const { inbox, onLine } = abortOn('tool.finished');
    const played = await play({ inbox, onLine, turns: [reads('a')] });
    expect(stopped(played).reason).toBe('aborted');
    expect(played.requests).toHaveLength(1);
  });

  it('by a signal while a person is asked goes on waiting, and writes no fact', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      clock: stoppedClock,
      turns: [replies([toolUse('a', 'write')])],
      box: { asks: ['write'] },
      approver: {
        decide: (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({ decision: 'wait' }));
            inbox.put({ kind: 'abort', cause: 'signal', by: 'SIGINT' });
          }),
      },
    });
    expect(played.result).toEqual({ state: 'waiting', runId: 'test', callIds: ['a'] });
    expect(played.story).toEqual(['model.called_tools']);
  });

  it('by its deadline says so, and the deadline does not pass while a person is asked', async () => {
    const clock = fakeClock();
    const played = await play({
      clock,
      header: { timeoutMs: 1_000 },
      turns: [replies([toolUse('a', 'write')]), never],
      box: { asks: ['write'] },
      approver: {
        decide: async (_, signal) => {
          await clock.sleep(60_000, signal);
          return { decision: 'approve', by: 'person' };
        },
      },
    });
    expect(stopped(played).reason).toBe('deadline');
  });
});

describe('approval', () => {
  const asks = { box: { asks: ['write'] }, turns: [replies([toolUse('a', 'write')]), answers()] };

  it.each([
    { answer: { decision: 'approve', by: 'person' }, ran: ['a'], kind: 'succeeded' },
    { answer: { decision: 'deny', by: 'person', reason: 'no' }, ran: [], kind: 'denied' },
  ] as const)('$answer.decision: the call has $kind', async ({ answer, ran, kind }) => {
    const played = await play({ ...asks, approver: { decide: async () => answer } });
    expect(played.ran).toEqual(ran);
    expect(played.facts.find((fact) => fact.type === 'tool.finished')).toMatchObject({ outcome: { kind } });
  });

  it('an approver that throws has denied', async () => {
    const played = await play({ ...asks, approver: { decide: () => Promise.reject(new Error('broken')) } });
    expect(played.ran).toEqual([]);
    expect(played.facts[1]).toMatchObject({ decision: 'deny', by: 'nobody' });
  });

  it('quitting aborts the run, and the call has its result', async () => {
    const played = await play({
      ...asks,
      approver: { decide: async () => ({ decision: 'quit', by: 'person' }) },
    });
    expect(stopped(played).reason).toBe('aborted');
    expect(played.story).toEqual(['model.called_tools', 'run.aborted', 'tool.finished']);
  });

  it('an edited input runs instead, and the result says so', async () => {
    const seen: unknown[] = [];
    const played = await play({
      ...asks,
      box: {
        asks: ['write'],
        run: async ({ input }) => (seen.push(input), { kind: 'succeeded', content: 'ok' }),
      },
      approver: { decide: async () => ({ decision: 'approve', by: 'person', edited: { safe: true } }) },
    });
    expect(seen).toEqual([{ safe: true }]);
    expect(played.requests[1]?.messages.at(-1)?.content[0]).toMatchObject({
      content: 'The user changed the input: {"safe":true}\nok',
    });
    expect(played.requests[1]?.messages[1]?.content[0]).toMatchObject({ input: {} });
  });

  it('a denied call is counted to being stuck, a batch is decided before any of it runs', async () => {
    const order: string[] = [];
    await play({
      box: {
        asks: ['write'],
        run: async ({ id }) => (order.push(`run ${id}`), { kind: 'succeeded', content: '' }),
      },
      turns: [replies([toolUse('r'), toolUse('a', 'write'), toolUse('b', 'write')]), answers()],
      approver: {
        decide: async ({ id }) => (order.push(`ask ${id}`), { decision: 'approve', by: 'person' }),
      },
    });
    expect(order).toEqual(['ask a', 'ask b', 'run r', 'run a', 'run b']);
  });
});

describe('interjections', () => {
  it('made while the model answers lead to another turn, which hears them', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      turns: [
        async () => {
          inbox.put({ kind: 'interjection', text: 'and the median?' });
          await new Promise((resolve) => setImmediate(resolve));
          return answers('The mean is 3.');
        },
        answers('The median is 2.'),
      ],
    });
    expect(played.story).toEqual(['user.interjected', 'model.answered', 'model.answered']);
    expect(played.requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: [text('and the median?')] });
    expect(stopped(played)).toMatchObject({ answer: 'The median is 2.', unread: [] });
  });

  it('that no turn is left for are listed as unread', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      limits: { maxTurns: 1 },
      turns: [
        async () => {
          inbox.put({ kind: 'interjection', text: 'wait' });
          await new Promise((resolve) => setImmediate(resolve));
          return answers();
        },
      ],
    });
    expect(stopped(played)).toMatchObject({ reason: 'end_turn', unread: ['wait'] });
  });
});

describe('the turn limit', () => {
  it('can be raised by a person, more than once, and is kept when nobody raises it', async () => {
    const more = [1, 2, 0];
    const played = await play({
      turns: ['a', 'b', 'c', 'd'].map(reads).concat(answers('Summary.')),
      limits: { maxTurns: 2 },
      header: { onLimit: 'ask' },
      approver: { decide: async () => ({ decision: 'wait' }), raiseLimit: async () => more.shift() ?? 0 },
    });
    expect(stopped(played)).toMatchObject({ reason: 'max_turns', turns: 5 });
    expect(played.story.filter((type) => type.startsWith('limit.'))).toEqual([
      'limit.raised',
      'limit.raised',
      'limit.kept',
    ]);
  });

  it('of one turn is asked without tools, and an answer is an answer (B08)', async () => {
    const played = await play({ turns: [answers()], limits: { maxTurns: 1 } });
    expect(played.requests[0]?.tool_choice).toEqual({ type: 'none' });
    expect(stopped(played).reason).toBe('end_turn');
  });

  it('with "stop" asks the last turn with tools, and closes its calls', async () => {
    const played = await play({
      turns: [reads('a'), reads('b')],
      limits: { maxTurns: 2 },
      header: { onLimit: 'stop' },
    });
    expect(played.requests[1]?.tool_choice).toBeUndefined();
    expect(played.ran).toEqual(['a']);
    expect(stopped(played).reason).toBe('max_turns');
  });
});

describe('a journal that cannot be written', () => {
  it.each(['run.started', 'model.called_tools', 'tool.started'])(
    'at %s ends the run before the next effect',
    async (type) => {
      const ran: string[] = [];
      const run = play({
        turns: [replies([toolUse('a', 'write')]), answers()],
        box: { run: async ({ id }) => (ran.push(id), { kind: 'succeeded', content: '' }) },
        onLine: (line) => {
          if (line.type === type) throw new Error('ENOSPC');
        },
      });
      await expect(run).rejects.toThrow('ENOSPC');
      expect(ran).toEqual([]);
    },
  );
});
