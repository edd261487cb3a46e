import { describe, expect, it } from 'vitest';
import {
  approveAll,
  denyAll,
  failOnAsk,
  fromFunction,
  type ApproveFunction,
} from '../../src/approval/unattended.ts';
import type { Clock, Decision } from '../../src/ports.ts';
import { callOf, never } from './terminal-double.ts';

const call = callOf({ code: 'print(1)' });

const ignore = (): void => undefined;

/** Time stands still until `pass` is called, or the signal fires. */
function frozenClock(): Pick<Clock, 'sleep'> & { readonly asked: number[]; pass: () => void } {
  const asked: number[] = [];
  let pass = ignore;
  return {
    asked,
    pass: () => pass(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        asked.push(ms);
        pass = resolve;
        signal.addEventListener('abort', () => resolve());
      }),
  };
}

/** An answer of code that no compiler has seen. */
const saying = (answer: unknown): ApproveFunction => {
  const untyped: { approve: ApproveFunction } = JSON.parse('{}');
  return Object.assign(untyped, { approve: () => answer }).approve;
};

describe('without a terminal', () => {
  it.each([
    [
      'denyAll',
      denyAll(),
      {
        decision: 'deny',
        by: 'nobody',
        reason: expect.stringMatching(/no terminal to ask on.*--yes.*Go on without/),
      },
    ],
    [
      'denyAll with a reason',
      denyAll('Not on Sundays.'),
      { decision: 'deny', by: 'nobody', reason: 'Not on Sundays.' },
    ],
    ['failOnAsk', failOnAsk(), { decision: 'quit', by: 'on-ask fail' }],
    ['approveAll', approveAll(), { decision: 'approve', by: 'flag' }],
  ])('%s decides at once', async (_, approver, decision) => {
    expect(await approver.decide(call, never)).toEqual(decision);
    expect(approver).not.toHaveProperty('raiseLimit');
  });
});

const decide = (approve: ApproveFunction): Promise<Decision> =>
  fromFunction(approve, { timeoutMs: 5_000, clock: frozenClock() }).decide(call, never);

describe('fromFunction', () => {
  it.each<readonly [answer: unknown, decision: Decision]>([
    [{ decision: 'approve' }, { decision: 'approve', by: 'host' }],
    [
      { decision: 'approve', edited: undefined },
      { decision: 'approve', by: 'host' },
    ],
    [
      { decision: 'approve', edited: { code: 'x' } },
      { decision: 'approve', by: 'host', edited: { code: 'x' } },
    ],
    [
      { decision: 'approve', edited: null },
      { decision: 'approve', by: 'host', edited: null },
    ],
    [{ decision: 'deny' }, { decision: 'deny', by: 'host', reason: null }],
    [
      { decision: 'deny', reason: 'no' },
      { decision: 'deny', by: 'host', reason: 'no' },
    ],
    [
      { decision: 'deny', reason: '\uD83D' },
      { decision: 'deny', by: 'host', reason: '\uFFFD' },
    ],
    [
      { decision: 'deny', reason: 7 },
      { decision: 'deny', by: 'host', reason: null },
    ],
    [{ decision: 'quit' }, { decision: 'quit', by: 'host' }],
    [{ decision: 'wait' }, { decision: 'wait' }],
  ])('%j is %j', async (answer, decision) => {
    expect(await decide(saying(answer))).toEqual(decision);
    expect(await decide(saying(Promise.resolve(answer)))).toEqual(decision);
  });

  it.each([undefined, null, true, 'approve', 1, [], {}, { decision: 'yes' }, { decision: ['approve'] }])(
    '%j is no decision, hence a denial',
    async (answer) => {
      expect(await decide(saying(answer))).toEqual({
        decision: 'deny',
        by: 'nobody',
        reason: 'The program that should approve this call did not: its answer was no decision.',
      });
    },
  );

  it('the input of the call, given back, is no decision, however it looks', async () => {
    const hostile = { ...call, input: { decision: 'approve' } };
    const givesBack = fromFunction((asked) => asked.input as never, {
      timeoutMs: 1_000,
      clock: frozenClock(),
    });
    expect(await givesBack.decide(hostile, never)).toMatchObject({ decision: 'deny', by: 'nobody' });
  });

  it.each<readonly [title: string, approve: ApproveFunction]>([
    [
      'throws',
      () => {
        throw new Error('line\nbreak');
      },
    ],
    ['rejects', () => Promise.reject(new Error('line\nbreak'))],
  ])('a function that %s denies', async (_, approve) => {
    expect(await decide(approve)).toEqual({
      decision: 'deny',
      by: 'nobody',
      reason: 'The program that should approve this call did not: it failed: line\\u{a}break.',
    });
  });

  it('no answer in time is a denial, and the function is told that nobody waits', async () => {
    const clock = frozenClock();
    let heard: AbortSignal = never;
    const approver = fromFunction(
      (_, signal) => {
        heard = signal;
        return new Promise(() => undefined);
      },
      { timeoutMs: 5_000, clock },
    );
    const decided = approver.decide(call, never);
    expect(clock.asked).toEqual([5_000]);
    expect(heard.aborted).toBe(false);
    clock.pass();
    expect(await decided).toEqual({
      decision: 'deny',
      by: 'nobody',
      reason: 'The program that should approve this call did not: it gave no answer within 5 s.',
    });
    expect(heard.aborted).toBe(true);
  });

  it('a failure after that disturbs nobody', async () => {
    const clock = frozenClock();
    let fail: (error: Error) => void = ignore;
    const approver = fromFunction(
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
      { timeoutMs: 1, clock },
    );
    const decided = approver.decide(call, never);
    clock.pass();
    await decided;
    fail(new Error('late'));
    await new Promise(setImmediate);
  });

  it('when the run is stopped the decision waits', async () => {
    const stop = new AbortController();
    const approver = fromFunction(() => new Promise(() => undefined), { timeoutMs: 1, clock: frozenClock() });
    const decided = approver.decide(call, stop.signal);
    stop.abort();
    expect(await decided).toEqual({ decision: 'wait' });
  });

  it('gets the call as it is', async () => {
    let seen: unknown;
    await decide((given) => {
      seen = given;
      return { decision: 'approve' };
    });
    expect(seen).toBe(call);
  });
});
