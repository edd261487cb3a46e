import { describe, expect, it } from 'vitest';
import { Inbox } from '../src/inbox.ts';
import { play, replies, text, toolUse, type Played } from './support/world.ts';

const reads = (id: string) => replies([toolUse(id)]);
const answers = (words = 'Done.') => replies([text(words)]);

const stopped = ({ result }: Played) => {
  if (result.state !== 'stopped') throw new Error('The run waits.');
  return result;
};

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
    expect(played.facts[1]).toMatchObject({ cause: 'user', by: 'person', abortedRequest: null });
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

  it('made after a state was entered and before its request was built wait for the next one', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      turns: [reads('a'), answers('The mean is 3.'), answers('The median is 2.')],
      onLine: (line) => {
        if (line.type === 'tool.finished') inbox.put({ kind: 'interjection', text: 'and the median?' });
      },
    });
    expect(played.story.slice(-3)).toEqual(['user.interjected', 'model.answered', 'model.answered']);
    expect(played.requests.map(({ messages }) => messages.at(-1)?.role)).toEqual(['user', 'user', 'user']);
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

  it.each([
    { what: 'calls', type: 'tool.finished', slow: 'b' },
    { what: 'a request', type: 'user.interjected', slow: 'request' },
  ])('stops the $what under way', async ({ type, slow }) => {
    const told: string[] = [];
    const inbox = new Inbox();
    const goesOn = (name: string, signal: AbortSignal) =>
      new Promise<never>(() => signal.addEventListener('abort', () => void told.push(name)));
    const run = play({
      inbox,
      turns: [
        replies([toolUse('a'), toolUse('b')]),
        (_, signal) => (inbox.put({ kind: 'interjection', text: 'wait' }), goesOn('request', signal)),
      ],
      box: {
        run: async ({ id }, signal) =>
          id === slow ? goesOn(id, signal) : { kind: 'succeeded', content: '' },
      },
      onLine: (line) => {
        if (line.type === type) throw new Error('ENOSPC');
      },
    });
    await expect(run).rejects.toThrow('ENOSPC');
    expect(told).toEqual([slow]);
  });
});

it('of what comes too late only the words of the user are kept', () => {
  const inbox = new Inbox();
  inbox.put({ kind: 'abort', cause: 'signal', by: 'SIGINT' });
  inbox.put({ kind: 'interjection', text: 'And the median?' });
  inbox.put({ kind: 'abort', cause: 'user', by: 'host' });
  expect(inbox.interjections()).toEqual(['And the median?']);
});
