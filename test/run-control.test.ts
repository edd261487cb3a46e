import { describe, expect, it } from 'vitest';
import { effectOf } from '../src/effects/effect-of.ts';
import { Inbox } from '../src/inbox.ts';
import { fakeClock, play, replies, stoppedClock, text, toolUse, type Played } from './support/world.ts';

const reads = (id: string) => replies([toolUse(id)]);
const answers = (words = 'Done.') => replies([text(words)]);
const never = () => new Promise<never>(() => undefined);

const stopped = ({ result }: Played) => {
  if (result.state !== 'stopped') throw new Error('The run waits.');
  return result;
};

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

describe('an order to stop', () => {
  it('that meets a response over the budget lets it be closed first, and asks nothing more', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      clock: stoppedClock,
      limits: { budget: { nanoUsd: null, tokens: 50_000 } },
      turns: [
        (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () =>
              resolve(replies([toolUse('a')], 'tool_use', { input_tokens: 20_000, output_tokens: 10 })),
            );
            inbox.put({ kind: 'abort', cause: 'user', by: 'test' });
          }),
      ],
    });
    expect(played.story).toEqual(['model.called_tools', 'tool.finished', 'run.aborted']);
    expect(stopped(played)).toMatchObject({ reason: 'aborted', summary: null });
    expect(played.requests).toHaveLength(1);
  });

  it('while a read runs beside a refused call closes both', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      clock: stoppedClock,
      turns: [replies([toolUse('a'), toolUse('b', 'unknown')])],
      box: {
        run: (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({ kind: 'interrupted', content: 'so far' }));
            inbox.put({ kind: 'abort', cause: 'user', by: 'test' });
          }),
      },
    });
    const kinds = played.facts.flatMap((fact) => (fact.type === 'tool.finished' ? [fact.outcome.kind] : []));
    expect(kinds).toEqual(['interrupted', 'not_run']);
  });

  it('while several reads run keeps what each of them still says', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      clock: stoppedClock,
      turns: [replies([toolUse('a'), toolUse('b'), toolUse('c')])],
      box: {
        run: ({ id }, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () =>
              resolve({ kind: 'interrupted', content: `half of ${id}` }),
            );
            if (id === 'c') inbox.put({ kind: 'abort', cause: 'user', by: 'test' });
          }),
      },
    });
    const said = played.facts.flatMap((fact) =>
      fact.type === 'tool.finished' ? [fact.outcome.content] : [],
    );
    expect(said).toEqual(['half of a', 'half of b', 'half of c']);
  });

  it('after the time is up is not given: the clock is stopped with the effect', async () => {
    const played = await play({ clock: stoppedClock, header: { timeoutMs: 1_000 }, turns: [answers()] });
    expect(stopped(played).reason).toBe('end_turn');
  });
});

describe('what would spin for ever', () => {
  it('is a bug, and is said to be one: an effect that ends and leads nowhere', async () => {
    const run = play({ turns: [{ kind: 'aborted', usage: null, billing: 'none' }] });
    await expect(run).rejects.toThrow(/callModel ended.*bug/);
  });

  it('is a bug, and is said to be one: a fact that the machine cannot take', async () => {
    const run = play({
      turns: [reads('a')],
      box: { judge: () => ({ verdict: 'invalid', effects: 'none', refusal: null }) },
    });
    await expect(run).rejects.toThrow(/cannot take tool\.finished.*bug/);
  });

  it('is a bug, and is said to be one: a state that names no effect', () => {
    expect(() => effectOf({ value: 'stoppedEndTurn', getMeta: () => ({}) })).toThrow(/No effect.*bug/);
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

  it('a reason goes to the model, as text that the API takes', async () => {
    const played = await play({
      ...asks,
      approver: { decide: async () => ({ decision: 'deny', by: 'person', reason: 'no\ud800' }) },
    });
    expect(played.requests[1]?.messages.at(-1)?.content[0]).toMatchObject({
      content: 'write was denied by person: no\ufffd.',
      is_error: true,
    });
  });

  it('an approver that throws has denied', async () => {
    const played = await play({ ...asks, approver: { decide: () => Promise.reject(new Error('broken')) } });
    expect(played.ran).toEqual([]);
    expect(played.facts[1]).toMatchObject({ decision: 'deny', by: 'nobody' });
  });

  it('that nobody can give now leaves the run waiting, and names the calls', async () => {
    const played = await play({ ...asks, approver: { decide: async () => ({ decision: 'wait' }) } });
    expect(played.result).toEqual({ state: 'waiting', runId: 'test', callIds: ['a'] });
    expect(played.lines.at(-1)).toMatchObject({ type: 'run.ended', result: { state: 'waiting' } });
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
