/** What people and programs around a run may answer, and what they are given. */
import { describe, expect, it } from 'vitest';
import { Inbox } from '../src/inbox.ts';
import { verifyJournal } from '../src/verify/index.ts';
import { stoppedClock } from './support/clocks.ts';
import { failure, play, replies, text, toolUse } from './support/world.ts';

const answers = () => replies([text('Done.')]);

it.each([
  { turns: Number.MAX_SAFE_INTEGER, expected: 'limit.raised' },
  { turns: Infinity, expected: 'limit.raised' },
  { turns: 1, expected: 'limit.raised' },
  { turns: 0, expected: 'limit.kept' },
  { turns: -1, expected: 'limit.kept' },
  { turns: 1.5, expected: 'limit.kept' },
  { turns: NaN, expected: 'limit.kept' },
])('a person who gives $turns more turns has answered $expected', async ({ turns, expected }) => {
  const played = await play({
    turns: [replies([toolUse('a')]), answers()],
    limits: { maxTurns: 2 },
    header: { onLimit: 'ask' },
    approver: { decide: async () => ({ decision: 'wait' }), raiseLimit: async () => turns },
  });
  expect(played.story).toContain(expected);
  expect(played.result).toMatchObject({ reason: expected === 'limit.raised' ? 'end_turn' : 'max_turns' });
});

describe('what a host is given', () => {
  const input = { list: [3, 1, 2] };

  it('is a copy: a tool that sorts its input changes nothing of what is sent', async () => {
    const played = await play({
      turns: [replies([toolUse('a', 'read', input)]), answers()],
      box: {
        run: async (call) => {
          Object(call.input).list.sort();
          return { kind: 'succeeded', content: 'x' };
        },
      },
    });
    expect(played.requests[1]?.messages[1]?.content).toEqual([toolUse('a', 'read', { list: [3, 1, 2] })]);
  });

  it('is a copy: an approver cannot change what it approves but by saying so', async () => {
    const ran: unknown[] = [];
    await play({
      turns: [replies([toolUse('a', 'write', input)]), answers()],
      box: {
        asks: ['write'],
        run: async (call) => (ran.push(call.input), { kind: 'succeeded', content: 'x' }),
      },
      approver: {
        decide: async (call) => {
          Object(call.input).list.push(666);
          return { decision: 'approve', by: 'person' };
        },
      },
    });
    expect(ran).toEqual([{ list: [3, 1, 2] }]);
  });
});

it('an approver that throws because it is told to end has not decided: the run waits', async () => {
  const inbox = new Inbox();
  const played = await play({
    inbox,
    clock: stoppedClock,
    turns: [replies([toolUse('a', 'write')])],
    box: { asks: ['write'] },
    approver: {
      decide: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          inbox.put({ kind: 'abort', cause: 'signal', by: 'SIGTERM' });
        }),
    },
  });
  expect(played.result).toMatchObject({ state: 'waiting', callIds: ['a'] });
  expect(played.story).toEqual(['model.called_tools']);
});

it.each([
  {
    what: 'an edited input',
    decision: { decision: 'approve', by: 'person', edited: { text: 'x'.repeat(200_000) } },
  },
  { what: 'a reason', decision: { decision: 'deny', by: 'person', reason: 'x'.repeat(200_000) } },
] as const)('$what is cut where it goes to the model', async ({ decision }) => {
  const played = await play({
    turns: [replies([toolUse('a', 'write')]), answers()],
    box: { asks: ['write'] },
    approver: { decide: async () => decision },
  });
  const told = JSON.stringify(played.requests[1]?.messages.at(-1));
  expect(told.length).toBeLessThan(5_000);
  expect(told).toContain('x'.repeat(1_900));
  if (decision.decision === 'approve') expect(told).toMatch(/x … \d+ characters left out … x/);
});

describe('a run that is stopped', () => {
  it('while it waits for a retry does not ask again', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      clock: stoppedClock,
      turns: [failure(), answers()],
      onLine: (line) => {
        if (line.type === 'model.failed')
          setImmediate(() => inbox.put({ kind: 'abort', cause: 'user', by: 'test' }));
      },
    });
    expect(played.story).toEqual(['model.failed', 'run.aborted']);
  });

  it('while a person is asked for more turns takes no answer', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      clock: stoppedClock,
      turns: [replies([toolUse('a')]), answers()],
      limits: { maxTurns: 2 },
      header: { onLimit: 'ask' },
      approver: {
        decide: async () => ({ decision: 'wait' }),
        raiseLimit: (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve(0));
            inbox.put({ kind: 'abort', cause: 'user', by: 'test' });
          }),
      },
    });
    expect(played.story.slice(-1)).toEqual(['run.aborted']);
    expect(played.story).not.toContain('limit.kept');
  });

  it('while a start is written starts nothing more', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      turns: [replies([toolUse('a'), toolUse('b')])],
      onLine: (line) => {
        if (line.type === 'tool.started') inbox.put({ kind: 'abort', cause: 'user', by: 'test' });
      },
    });
    expect(played.story.filter((type) => type === 'tool.started')).toHaveLength(1);
    expect(played.ran).not.toContain('b');
  });
});

describe('words that come too late', () => {
  it.each(['model.answered', 'run.aborted'])('while %s is written are unread in the end', async (type) => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      turns: [
        async () => {
          if (type === 'run.aborted') inbox.put({ kind: 'abort', cause: 'user', by: 'test' });
          await new Promise((resolve) => setImmediate(resolve));
          return answers();
        },
      ],
      onLine: (line) => {
        if (line.type === type) inbox.put({ kind: 'interjection', text: 'and the median?' });
      },
    });
    expect(played.result).toMatchObject({ state: 'stopped', unread: ['and the median?'] });
    expect(verifyJournal(played.lines)).toEqual([]);
  });

  it('while the run is told to stop at a question are facts: it hears them when it goes on', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      turns: [replies([toolUse('a', 'write')])],
      box: { asks: ['write'] },
      approver: {
        decide: (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({ decision: 'wait' }));
            inbox.put({ kind: 'abort', cause: 'signal', by: 'SIGHUP' });
            inbox.put({ kind: 'interjection', text: 'wait' });
          }),
      },
    });
    expect(played.story).toEqual(['model.called_tools', 'user.interjected']);
    expect(played.result).toMatchObject({ state: 'waiting' });
  });
});
