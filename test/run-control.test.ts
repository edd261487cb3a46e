import { describe, expect, it } from 'vitest';
import { Inbox } from '../src/inbox.ts';
import { transcriptOf } from '../src/journal/transcript.ts';
import { fakeClock, stoppedClock } from './support/clocks.ts';
import { play, replies, text, toolUse, type Played } from './support/world.ts';

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
    expect(transcriptOf(played.lines).turns).toMatchObject([
      {
        stop_reason: null,
        requests: [{ request: 'turn', outcome: 'run.aborted', usage: { input_tokens: 5_000 } }],
      },
    ]);
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
