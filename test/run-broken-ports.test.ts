/** Ports are a host's code too. What breaks there is one call's or one request's failure, and never the end of a run. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { Inbox } from '../src/inbox.ts';
import type { Approver, Toolbox } from '../src/ports.ts';
import { fakeClock } from './support/clocks.ts';
import { play, replies, text, toolUse, type Played } from './support/world.ts';

const answers = () => replies([text('Done.')]);
const lastMessage = ({ requests }: Played) => requests[1]?.messages.at(-1)?.content;

const later = async (ticks: number): Promise<void> => {
  for (let tick = ticks; tick > 0; tick -= 1) await new Promise((resolve) => setImmediate(resolve));
};

const ok = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: id });
const broken = (id: string) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'read broke: no box.',
  is_error: true,
});

describe('a toolbox that throws', () => {
  it.each([
    { which: 'one call', breaks: ['b'], expected: [ok('a'), broken('b'), ok('c')] },
    { which: 'two calls at once', breaks: ['b', 'c'], expected: [ok('a'), broken('b'), broken('c')] },
    { which: 'every call', breaks: ['a', 'b', 'c'], expected: [broken('a'), broken('b'), broken('c')] },
  ])(
    'at $which has failed there, and the results stand in order (A02, G15)',
    async ({ breaks, expected }) => {
      const lost: unknown[] = [];
      const note = (error: unknown) => void lost.push(error);
      process.on('unhandledRejection', note);
      onTestFinished(() => void process.off('unhandledRejection', note));
      const run: Toolbox['run'] = async ({ id }) => {
        if (breaks.includes(id)) throw new Error('no box');
        await later(3);
        return { kind: 'succeeded', content: id };
      };
      const played = await play({
        turns: [replies([toolUse('a'), toolUse('b'), toolUse('c')]), answers()],
        box: { run },
      });
      expect(lastMessage(played)).toEqual(expected);
      expect(played.result).toMatchObject({ reason: 'end_turn', turns: 2 });
      await later(2);
      expect(lost).toEqual([]);
    },
  );

  it('when it is to judge a call has refused it', async () => {
    const judge: Toolbox['judge'] = () => {
      throw new Error('no rules');
    };
    const played = await play({ turns: [replies([toolUse('a')]), answers()], box: { judge } });
    expect(played.ran).toEqual([]);
    expect(lastMessage(played)).toEqual([{ ...broken('a'), content: 'read broke: no rules.' }]);
    expect(played.result).toMatchObject({ reason: 'end_turn' });
  });

  it('when it is asked what a call would change does not keep anybody from deciding', async () => {
    const told: unknown[] = [];
    const decide: Approver['decide'] = async ({ input }, _, preview) => {
      told.push(await preview?.(input));
      return { decision: 'approve', by: 'person' };
    };
    const preview: Toolbox['preview'] = () => {
      throw new Error('no box');
    };
    const box = { asks: ['write'], preview };
    const turns = [replies([toolUse('a', 'write')]), answers()];
    const played = await play({ turns, box, approver: { decide } });
    expect(played.ran).toEqual(['a']);
    expect(told).toEqual([null]);
  });

  it.each([undefined, null, 'done', { kind: 'fine', content: 'x' }, { kind: 'succeeded', content: 7 }])(
    'or gives back %j, which is no outcome, has failed',
    async (outcome) => {
      // What a host wrote in JavaScript may give back anything.
      const run = (async () => outcome ?? nothing()) as Toolbox['run'];
      const played = await play({ turns: [replies([toolUse('a')]), answers()], box: { run } });
      expect(lastMessage(played)).toMatchObject([{ tool_use_id: 'a', is_error: true }]);
      expect(played.result).toMatchObject({ reason: 'end_turn' });
    },
  );
});

/** The double would put a good outcome in place of none. */
const nothing = (): unknown => ({});

describe('a model', () => {
  it('that throws at once, not by a promise, has failed', async () => {
    const played = await play({
      turns: [],
      model: {
        send: () => {
          throw new Error('broken');
        },
      },
    });
    expect(played.result).toMatchObject({
      reason: 'model_failed',
      failure: { message: expect.stringContaining('broken') },
    });
  });

  it.each([
    {
      what: 'an id that no result can name',
      content: { type: 'tool_use', id: 'a b', name: 'read', input: {} },
    },
    { what: 'no id', content: { type: 'tool_use', name: 'read', input: {} } },
    { what: 'no name', content: { type: 'tool_use', id: 'a', input: {} } },
    { what: 'a list as its input', content: { type: 'tool_use', id: 'a', name: 'read', input: [] } },
    { what: 'no input', content: { type: 'tool_use', id: 'a', name: 'read' } },
    {
      what: 'half a character in its input',
      content: { type: 'tool_use', id: 'a', name: 'read', input: { path: '\ud800' } },
    },
  ])('whose call has $what fails: the call could not go back to it', async ({ content }) => {
    for (const stopReason of ['tool_use', 'end_turn']) {
      const played = await play({ turns: [replies([text('Well.'), content], stopReason)] });
      expect(played.story).toEqual(['model.failed']);
      expect(played.ran).toEqual([]);
      expect(played.result).toMatchObject({
        reason: 'model_failed',
        failure: { errorType: 'protocol', message: expect.stringContaining('tool call') },
        usage: { inputTokens: 100 },
      });
    }
  });

  it.each(['', 'x'.repeat(201), 'fly\ud800'])('whose call has the name %j fails', async (name) => {
    const played = await play({ turns: [replies([toolUse('a', name)])] });
    expect(played.story).toEqual(['model.failed']);
    expect(played.result).toMatchObject({ failure: { errorType: expect.toBeOneOf(['protocol', null]) } });
  });

  it.each(['constructor', 'toString', '__proto__'])('may give a call the id %s', async (id) => {
    const played = await play({ turns: [replies([toolUse(id)]), answers()] });
    expect(lastMessage(played)).toMatchObject([{ tool_use_id: id, content: `result of ${id}` }]);
  });

  it('that calls a tool in a run without tools fails: the call could not go back to it', async () => {
    const played = await play({ turns: [replies([toolUse('a')])], header: { tools: [] } });
    expect(played.story).toEqual(['model.failed']);
    expect(played.result).toMatchObject({ failure: { errorType: 'protocol' } });
  });

  it('that does not listen when the run is aborted costs what its request may have cost at most', async () => {
    const inbox = new Inbox();
    const played = await play({
      inbox,
      clock: { ...fakeClock(), sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms / 100)) },
      turns: [() => (inbox.put({ kind: 'abort', cause: 'signal', by: 'SIGINT' }), new Promise(() => {}))],
    });
    expect(played.result).toMatchObject({ reason: 'aborted', isUsageIncomplete: true });
    expect(played.facts).toMatchObject([
      {
        type: 'run.aborted',
        abortedRequest: 'turn',
        billing: 'unknown',
        cost: { tokens: expect.any(Number) },
      },
    ]);
  });
});

describe('an approver', () => {
  it.each<readonly [what: string, decide: () => unknown]>([
    [
      'throws at once',
      () => {
        throw new Error('broken');
      },
    ],
    ['throws what has no text', () => Promise.reject(Object.create(null))],
    ['gives nothing', async () => undefined],
    ['gives a word', async () => 'yes'],
    ['gives a decision that is none', async () => ({ decision: 'maybe', by: 'person' })],
    [
      'approves half a character',
      async () => ({ decision: 'approve', by: 'person', edited: { path: '\ud800' } }),
    ],
    ['approves what is no JSON', async () => ({ decision: 'approve', by: 'person', edited: { size: 10n } })],
  ])('that %s has denied', async (_, decide) => {
    const played = await play({
      box: { asks: ['write'] },
      turns: [replies([toolUse('a', 'write')]), answers()],
      // What a host wrote in JavaScript may do anything.
      approver: { decide: decide as Approver['decide'] },
    });
    expect(played.ran).toEqual([]);
    expect(played.facts[1]).toMatchObject({ decision: 'deny', by: 'nobody' });
    expect(played.result).toMatchObject({ reason: 'end_turn' });
  });
});

it('a person who is asked for more turns, and whose program throws at once, has kept the limit', async () => {
  const played = await play({
    turns: [replies([toolUse('a')]), replies([toolUse('b')]), answers()],
    limits: { maxTurns: 2 },
    header: { onLimit: 'ask' },
    approver: {
      decide: async () => ({ decision: 'wait' }),
      raiseLimit: () => {
        throw new Error('broken');
      },
    },
  });
  expect(played.story).toContain('limit.kept');
});
