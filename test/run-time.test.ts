/** What takes time, and whose time it is. */
import { describe, expect, it } from 'vitest';
import { Inbox } from '../src/inbox.ts';
import type { Approver, Fact } from '../src/ports.ts';
import { virtualClock } from './support/clocks.ts';
import { failure, play, replies, text, toolUse, type Turn } from './support/world.ts';

const never = new AbortController().signal;
const answers = () => replies([text('Done.')]);
const writes = (...ids: readonly string[]) => replies(ids.map((id) => toolUse(id, 'write')));
const asks = { asks: ['write'] };

const durationsOf = (facts: readonly Fact[]): readonly number[] =>
  facts.flatMap((fact) => ('durationMs' in fact ? [fact.durationMs] : []));

describe('the deadline', () => {
  const slowApprover = (clock: ReturnType<typeof virtualClock>): Approver => ({
    decide: async () => {
      await clock.sleep(60_000, never);
      return { decision: 'approve', by: 'person' };
    },
    raiseLimit: async () => {
      await clock.sleep(60_000, never);
      return 1;
    },
  });

  it.each<{ who: string; turns: readonly Turn[]; limits?: { readonly maxTurns: number } }>([
    { who: 'a person is asked to approve', turns: [writes('a'), answers()] },
    { who: 'a person is asked for more turns', turns: [writes('a'), answers()], limits: { maxTurns: 2 } },
  ])('stands still while $who', async ({ turns, limits = { maxTurns: 10 } }) => {
    const clock = virtualClock();
    const played = await play({
      clock,
      turns,
      limits,
      header: { timeoutMs: 1_000, onLimit: 'ask' },
      box: limits.maxTurns === 2 ? {} : asks,
      approver: slowApprover(clock),
    });
    expect(played.result).toMatchObject({ reason: 'end_turn' });
    expect(clock.now()).toBeGreaterThanOrEqual(60_000);
  });

  it('goes on afterwards: only the working time counts, and all of it', async () => {
    const clock = virtualClock();
    const played = await play({
      clock,
      turns: [async () => (await clock.sleep(600, never), writes('a')), () => new Promise(() => undefined)],
      header: { timeoutMs: 1_000 },
      box: asks,
      approver: slowApprover(clock),
    });
    expect(played.result).toMatchObject({ reason: 'deadline', turns: 1 });
    // 400 ms were left for the second request, and it was given 1,500 more to say what it had cost.
    expect(clock.now()).toBe(600 + 60_000 + 400 + 1_500);
  });

  it('that comes with a question waits for its answer; then nothing of the batch runs', async () => {
    const inbox = new Inbox();
    const asked: string[] = [];
    const played = await play({
      inbox,
      turns: [writes('a')],
      box: asks,
      approver: {
        decide: async ({ id }) => (asked.push(id), { decision: 'approve', by: 'person' }),
      },
      onLine: ({ type }) => {
        if (type === 'model.called_tools') inbox.put({ kind: 'abort', cause: 'deadline', by: 'timeout' });
      },
    });
    expect(asked).toEqual(['a']);
    expect(played.ran).toEqual([]);
    expect(played.result).toMatchObject({ reason: 'deadline' });
  });
});

describe('a run that has ended', () => {
  it.each<{ how: string; turns: readonly Turn[] }>([
    { how: 'with an answer', turns: [answers()] },
    { how: 'after tools', turns: [replies([toolUse('a')]), answers()] },
    { how: 'with a model that throws', turns: [() => Promise.reject(new Error('broken'))] },
  ])('$how leaves nobody asleep', async ({ turns }) => {
    const clock = virtualClock();
    await play({ clock, turns, header: { timeoutMs: 1_000_000 } });
    expect(clock.sleepers()).toBe(0);
  });

  it('because it was stopped leaves nobody asleep', async () => {
    const clock = virtualClock();
    const inbox = new Inbox();
    await play({
      clock,
      inbox,
      header: { timeoutMs: 1_000_000 },
      turns: [
        (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () =>
              resolve({ kind: 'aborted', usage: null, billing: 'none' }),
            );
            inbox.put({ kind: 'abort', cause: 'user', by: 'test' });
          }),
      ],
    });
    expect(clock.sleepers()).toBe(0);
  });
});

describe('a duration', () => {
  it('is that of the request or of the call alone', async () => {
    const clock = virtualClock();
    const slow = (ms: number, reply: ReturnType<typeof replies>) => async () => (
      await clock.sleep(ms, never),
      reply
    );
    const { facts } = await play({
      clock,
      turns: [slow(7, replies([toolUse('a')])), slow(11, answers())],
      box: { run: async () => (await clock.sleep(5, never), { kind: 'succeeded', content: 'x' }) },
    });
    expect(durationsOf(facts)).toEqual([7, 5, 11]);
  });

  it('of a wait is half a second, doubled up to 8 s, less up to a quarter', async () => {
    const clock = virtualClock();
    const turns = Array.from({ length: 6 }, () => failure());
    const { facts } = await play({ clock, turns: [...turns, answers()], limits: { maxRetries: 6 } });
    const waits = facts.flatMap((fact) => (fact.type === 'model.failed' ? [fact.delayMs] : []));
    // The clock's random number is one half.
    expect(waits).toEqual([437.5, 875, 1_750, 3_500, 7_000, 7_000].map(Math.round));
    expect(clock.now()).toBe(waits.reduce<number>((sum, ms) => sum + (ms ?? 0), 0));
  });
});
