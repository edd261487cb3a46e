/** What a request costs that came to nothing, and what calls and people are told that are left over. */
import { describe, expect, it } from 'vitest';
import { Inbox } from '../src/inbox.ts';
import type { ContentBlock, Fact, FactOf } from '../src/ports.ts';
import { stoppedClock } from './support/clocks.ts';
import { failure, play, replies, text, toolUse, type World } from './support/world.ts';

const answers = () => replies([text('Done.')]);
const reads = (id: string) => replies([toolUse(id)]);
const cut = (content: readonly ContentBlock[]) => replies(content, 'max_tokens');
/** USD per million tokens. */
const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };

describe('the cost of a request that failed', () => {
  const usage = { input_tokens: 1_000, output_tokens: 100 };
  it.each([
    { billing: 'none', usage: null, expected: 0 },
    { billing: 'partial', usage, expected: 1_100 },
    { billing: 'unknown', usage: null, expected: 'its bound' },
    { billing: 'unknown', usage, expected: 'its bound' },
  ] as const)(
    'with billing $billing and usage $usage is $expected',
    async ({ billing, usage: used, expected }) => {
      const { facts } = await play({
        turns: [failure({ isRetryable: false, billing, usage: used })],
        header: { price },
      });
      const [fact] = facts;
      if (fact?.type !== 'model.failed') throw new Error('It did not fail.');
      expect(fact.reason).toBe('model_failed');
      if (expected === 'its bound') expect(fact.cost.tokens).toBeGreaterThan(16_000);
      else expect(fact.cost.tokens).toBe(expected);
    },
  );

  it('is nothing to go by where the response made no sense: it was billed', async () => {
    const { facts } = await play({ turns: [replies([text('x')], 'weird')], header: { price } });
    expect(facts).toMatchObject([{ reason: 'model_failed', isRetryable: false, cost: { tokens: 110 } }]);
  });
});

describe('the cost of a request that was aborted', () => {
  const usage = { input_tokens: 1_000, output_tokens: 100 };
  it.each([
    { billing: 'none', usage: null, least: 0, most: 0 },
    { billing: 'partial', usage, least: 1_100, most: 1_100 },
    { billing: 'unknown', usage: null, least: 16_000, most: 20_000 },
  ] as const)('with billing $billing is from $least to $most tokens', async (row) => {
    const inbox = new Inbox();
    const { facts } = await play({
      inbox,
      clock: stoppedClock,
      turns: [
        (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () =>
              resolve({ kind: 'aborted', usage: row.usage, billing: row.billing }),
            );
            inbox.put({ kind: 'abort', cause: 'user', by: 'test' });
          }),
      ],
    });
    const [fact] = facts;
    if (fact?.type !== 'run.aborted') throw new Error('It was not aborted.');
    expect(fact).toMatchObject({ abortedRequest: 'turn', billing: row.billing, usage: row.usage });
    expect(fact.cost.tokens).toBeGreaterThanOrEqual(row.least);
    expect(fact.cost.tokens).toBeLessThanOrEqual(row.most);
  });
});

const contentsOf = (facts: readonly Fact[]): readonly string[] =>
  facts
    .filter((fact): fact is FactOf<'tool.finished'> => fact.type === 'tool.finished')
    .map(({ outcome }) => `${outcome.kind}: ${outcome.content}`);

describe('a call that does not run is told why', () => {
  it.each<{ why: string; world: World; told: readonly string[] }>([
    {
      why: 'its response had ended the turn',
      world: { turns: [replies([text('Done.'), toolUse('a')], 'end_turn')] },
      told: ['not_run: Not run (end_turn).'],
    },
    {
      why: 'its response was cut off',
      world: { turns: [cut([toolUse('a')])], limits: { maxGrowths: 0 } },
      told: ['not_run: Not run (max_tokens).'],
    },
    {
      why: 'its response was the summary',
      world: { turns: [reads('a'), reads('b')], limits: { maxTurns: 2 } },
      told: ['succeeded: result of a', 'not_run: Not run (summary).'],
    },
    {
      why: 'a rule denies it',
      world: { turns: [replies([toolUse('a', 'write')]), answers()], box: { denies: ['write'] } },
      told: ['denied: A rule denies it.'],
    },
    {
      why: 'there is no such tool',
      world: { turns: [replies([toolUse('a', 'fly')]), answers()] },
      told: ['failed: No tool fly.'],
    },
    {
      why: 'the approval failed',
      world: {
        turns: [replies([toolUse('a', 'write')]), answers()],
        box: { asks: ['write'] },
        approver: { decide: () => Promise.reject(new Error('no line')) },
      },
      told: ['denied: write was denied by nobody: The approval failed: no line.'],
    },
    {
      why: 'its edited input was refused',
      world: {
        turns: [replies([toolUse('a', 'write')]), answers()],
        box: {
          judge: (_, input) =>
            JSON.stringify(input) === '{}'
              ? { verdict: 'ask', effects: 'some', refusal: null }
              : { verdict: 'deny', effects: 'some', refusal: 'Never that.' },
        },
        approver: { decide: async () => ({ decision: 'approve', by: 'person', edited: { all: true } }) },
      },
      told: ['denied: write was denied by person: The edited input was refused. Never that..'],
    },
    {
      why: 'nothing: an edit that changes nothing is an approval',
      world: {
        turns: [replies([toolUse('a', 'write', { b: 1, a: 2 })]), answers()],
        box: { asks: ['write'] },
        approver: { decide: async () => ({ decision: 'approve', by: 'person', edited: { a: 2, b: 1 } }) },
      },
      told: ['succeeded: result of a'],
    },
  ])('$why', async ({ world, told }) => {
    expect(contentsOf((await play(world)).facts)).toEqual(told);
  });
});

describe('the final summary', () => {
  it.each<{ cause: string; world: World }>([
    {
      cause: 'budget',
      world: {
        turns: [replies([toolUse('a')], 'tool_use', { input_tokens: 3_000, output_tokens: 10 }), answers()],
        limits: { budget: { nanoUsd: null, tokens: 9_000 } },
      },
    },
    {
      cause: 'stuck',
      world: {
        turns: [reads('a'), reads('b'), reads('c'), answers()],
        box: { run: async () => ({ kind: 'failed', content: 'no' }) },
      },
    },
    { cause: 'max_turns', world: { turns: [reads('a'), answers()], limits: { maxTurns: 2 } } },
  ])('after $cause says so to the model', async ({ cause, world }) => {
    const { requests, result } = await play(world);
    expect(requests.at(-1)?.messages.at(-1)?.content.at(-1)).toEqual(text(`Sum up (${cause}).`));
    expect(result).toMatchObject({ reason: cause, summary: 'answered', answer: 'Done.' });
  });
});

describe('a run that waits', () => {
  it('names the asked calls that have no decision yet, and no others', async () => {
    const decisions = [{ decision: 'approve', by: 'person' }, { decision: 'wait' }] as const;
    let asked = 0;
    const { result } = await play({
      turns: [replies([toolUse('r'), toolUse('a', 'write'), toolUse('b', 'write'), toolUse('c', 'write')])],
      box: { asks: ['write'] },
      approver: { decide: async () => decisions[asked++] ?? { decision: 'wait' } },
    });
    expect(result).toEqual({ state: 'waiting', runId: 'test', callIds: ['b', 'c'] });
  });

  it.each([
    { cause: 'user', how: 'a person stops it', state: 'stopped' },
    { cause: 'signal', how: 'a signal comes', state: 'waiting' },
  ] as const)('is $state when $how', async ({ cause, state }) => {
    const inbox = new Inbox();
    const { result } = await play({
      inbox,
      turns: [replies([toolUse('a', 'write')])],
      box: { asks: ['write'] },
      approver: {
        decide: (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({ decision: 'wait' }));
            inbox.put({ kind: 'abort', cause, by: 'test' });
          }),
      },
    });
    expect(result).toMatchObject({ state });
  });

  it('no longer, when the decision comes while it is told to stop: it stops', async () => {
    const inbox = new Inbox();
    const { result, story, ran } = await play({
      inbox,
      clock: stoppedClock,
      turns: [replies([toolUse('a', 'write')])],
      box: { asks: ['write'] },
      approver: {
        decide: (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({ decision: 'approve', by: 'person' }));
            inbox.put({ kind: 'abort', cause: 'signal', by: 'SIGTERM' });
          }),
      },
    });
    expect(result).toMatchObject({ state: 'stopped', reason: 'aborted' });
    expect(story).toEqual(['model.called_tools', 'approval.decided', 'run.aborted', 'tool.finished']);
    expect(ran).toEqual([]);
  });
});

it('words that come while calls are closed are taken, and are unread in the end', async () => {
  const inbox = new Inbox();
  const { result, story } = await play({
    inbox,
    turns: [cut([toolUse('a'), toolUse('b')])],
    limits: { maxGrowths: 0 },
    onLine: ({ type }) => {
      if (type === 'model.truncated') inbox.put({ kind: 'interjection', text: 'wait' });
    },
  });
  expect(story).toEqual(['model.truncated', 'user.interjected', 'tool.finished', 'tool.finished']);
  expect(result).toMatchObject({ unread: ['wait'] });
});
