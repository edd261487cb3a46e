import { describe, expect, it } from 'vitest';
import { verifyJournal } from '../../src/verify/index.ts';
import type { JournalLine } from '../../src/ports.ts';
import { again } from '../resume/again.ts';
import { play, replies, text, toolUse } from '../support/world.ts';
import { interrupted } from './worlds.ts';
import { both, clean, type Lines, drop, plain, repeat, replaceText, set, type Damage } from './recorded.ts';

const MUCH = { tokens: 90_000, nanoUsd: 900_000_000 };
const FREE = { tokens: 0, nanoUsd: 0 };

/** The answered run goes on: 16 resumes it, 17 is another answer, 18 the end. */
const again18 = await again(
  clean() as JournalLine[],
  { turns: [replies([text('Nine.')])] },
  { message: 'And?' },
);
const resumed = (): Lines => plain(again18.lines);

const DAMAGES: readonly (readonly [string, Damage, number, number, RegExp])[] = [
  ['longer words than were paid for', set(16, 'words', ['x'.repeat(9)]), 16, 4, /could take/],
  [
    'a request that was not lost',
    both(set(16, 'abortedRequest', 'turn'), set(16, 'billing', 'unknown'), set(16, 'cost', MUCH)),
    16,
    6,
    /resumed with the lost request turn; it is null/,
  ],
  ['a limit that is reached', set(16, 'limits.maxTurns', 4), 17, 5, /turn 5; there may be 4 turns/],
  ['a spend of the last segment alone', set(18, 'result.costUsd', 0.00015), 18, 4, /sum up to 0\.00075/],
  ['a second resumption that lost no request', repeat(16, 17), 17, 6, /lost request null; it is turn/],
  [
    'another reason at its last end',
    set(18, 'result.reason', 'max_turns'),
    18,
    6,
    /the facts lead to end_turn/,
  ],
  ['another answer at its last end', set(18, 'result.answer', 'x'), 18, 6, /not what the model said/],
  [
    'another request behind its resumption',
    both(set(17, 'request', 'summary'), set(17, 'instruction', 'Sum up.')),
    17,
    6,
    /is of a summary/,
  ],
  ['another bound behind its resumption', set(17, 'nextCost.tokens', 0), 17, 4, /could take/],
  ['a last segment without an end', drop(18), 17, 6, /has no end/],
  ['a second end of another run', set(18, 'result.runId', 'x'), 18, 6, /^This is the end of another run/],
  ['a fact between its segments', repeat(3, 16), 16, 6, /^The segment has ended: tool.started has no place/],
  [
    'words that it says are none',
    set(16, 'hasWords', false),
    16,
    6,
    /^The run is resumed with 1 texts of the user, and says the opposite\.$/,
  ],
  [
    'a bill of no request',
    set(16, 'billing', 'unknown'),
    16,
    4,
    /^run\.resumed says that no request was out, and has a bill\.$/,
  ],
  [
    'a call judged again that has its result',
    set(16, 'judgements', [{ callId: 'd', verdict: 'ask', isDecisionKept: false }]),
    16,
    3,
    /^A call is judged again that is not open: d\.$/,
  ],
  [
    'a call judged again that nobody made',
    set(16, 'judgements', [{ callId: 'x', verdict: 'ask', isDecisionKept: false }]),
    16,
    3,
    /^A call is judged again that is not open: x\.$/,
  ],
  ['words that no request carried', set(17, 'heard', 0), 17, 1, /has heard 0 words .* carry 1 of them\.$/],
  [
    'a budget that is used up by now',
    set(16, 'limits.budget', { tokens: 1, nanoUsd: null }),
    17,
    4,
    /budget/,
  ],
  ['blank words of the user', set(16, 'words', [' ']), 16, 1, /^run\.resumed says something blank/],
  ['half a character of the user', set(16, 'words', ['a\ud800']), 16, 7, /^run\.resumed holds half a/],
  ['an open call at its last end', both(drop(13), drop(12)), 10, 3, /^The call d has no result\.$/],
];

describe('a run that was resumed', () => {
  it('holds', () => {
    expect(verifyJournal(resumed())).toEqual([]);
  });

  it('holds where its process had died, and a request was lost', async () => {
    const { lines } = await again(clean().slice(0, 9) as JournalLine[], {
      turns: [replies([text('Done.')])],
    });
    expect(lines[9]).toMatchObject({ type: 'run.resumed', abortedRequest: 'turn', billing: 'unknown' });
    expect(verifyJournal(plain(lines))).toEqual([]);
  });

  it.each(DAMAGES)(
    `with %s does not (one of ${DAMAGES.length} damages)`,
    (_, damage, line, invariant, words) => {
      expect(verifyJournal(damage(resumed()))).toContainEqual({
        line,
        invariant,
        message: expect.stringMatching(words),
      });
    },
  );
});

/** A request was out when the process died behind line 9: 10 resumes it, 11 is the answer, 12 the end. */
const lost = await again(clean().slice(0, 9) as JournalLine[], { turns: [replies([text('Done.')])] });
const waitingAgain = async (): Promise<Lines> => {
  const { lines } = await again(waiting.lines, {
    turns: [replies([text('Done.')])],
    box: { asks: ['write'] },
  });
  return plain(lines);
};

/** 4 is the abort, in the calls of line 2. */
const { lines: aborted } = await interrupted('user');

describe('a run that was aborted', () => {
  it.each([
    {
      what: 'a request that was not out',
      damage: both(set(4, 'abortedRequest', 'turn'), set(4, 'billing', 'unknown'), set(4, 'cost', MUCH)),
      invariant: 6,
      says: 'The run is aborted with the request turn; the one that is out is null.',
    },
    {
      what: 'a bill of no request',
      damage: both(set(4, 'billing', 'unknown'), set(4, 'cost', MUCH)),
      invariant: 4,
      says: 'run.aborted says that no request was out, and has a bill.',
    },
  ])('with $what does not hold', ({ damage, invariant, says }) => {
    const lines = plain(aborted);
    expect(verifyJournal(lines)).toEqual([]);
    expect(verifyJournal(damage(lines))).toContainEqual({ line: 4, invariant, message: says });
  });
});

describe('a run that lost a request', () => {
  it.each([
    { what: 'that is free', damage: both(set(10, 'billing', 'none'), set(10, 'cost', FREE)) },
    { what: 'at no cost', damage: set(10, 'cost', FREE), says: /costs less than it could have/ },
  ])('$what is named', ({ damage, says = /a request was lost, and that it is known what that cost/ }) => {
    expect(verifyJournal(damage(plain(lost.lines)))).toContainEqual({
      line: 10,
      invariant: 4,
      message: expect.stringMatching(says),
    });
  });
});

describe('a run that waited', () => {
  /** 4 resumes it, 5 is the approval, 6 to 9 the calls. */
  const DENIED = [{ tool: 'write', verdict: 'deny' }];

  it('holds', async () => {
    expect(verifyJournal(await waitingAgain())).toEqual([]);
  });

  it('holds where a call that waits is judged anew', async () => {
    const anew = [{ callId: 'a', verdict: 'ask', isDecisionKept: false }];
    expect(verifyJournal(set(4, 'judgements', anew)(await waitingAgain()))).toEqual([]);
  });

  it('does not hold where a rule denies by now what was approved', async () => {
    expect(verifyJournal(set(4, 'rules', DENIED)(await waitingAgain()))).toContainEqual({
      line: 8,
      invariant: 2,
      message: 'The call a starts, but a rule denies write.',
    });
  });
});

const waiting = await play({
  turns: [replies([toolUse('r'), toolUse('a', 'write')])],
  box: { asks: ['write'] },
  approver: { decide: async () => ({ decision: 'wait' }) },
});

describe('a run that waits', () => {
  const lines = (): unknown[] => plain(waiting.lines);

  it.each([
    { what: 'for other calls', damage: set(3, 'result.callIds', ['r']), says: /waits for are not those/ },
    {
      what: 'for calls that nobody has to decide',
      damage: replaceText('"verdict":"ask"', '"verdict":"allow"'),
      says: /waits for are not those/,
    },
    {
      what: 'and says that it has stopped',
      damage: set(3, 'result', Reflect.get(clean()[14] as object, 'result')),
      says: /The run says end_turn, but its facts lead to no stop/,
    },
  ])('$what is named', ({ damage, says }) => {
    expect(verifyJournal(damage(lines()))).toContainEqual({
      line: 3,
      invariant: 6,
      message: expect.stringMatching(says),
    });
  });
});

describe('a response of several models', () => {
  const usage = {
    input_tokens: 1,
    output_tokens: 1,
    iterations: [
      { type: 'message', input_tokens: 90, output_tokens: 4 },
      { type: 'advisor_message', model: 'claude-opus-5-5', input_tokens: 120, output_tokens: 7 },
    ],
  };
  const price = { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };

  it('has a price that the journal does not say; its tokens are counted', async () => {
    const { lines } = await play({ header: { price }, turns: [replies([text('x')], 'end_turn', usage)] });
    expect(verifyJournal(plain(lines))).toEqual([]);
    expect(verifyJournal(set(2, 'cost.tokens', 94)(plain(lines)))).toContainEqual({
      line: 2,
      invariant: 4,
      message: expect.stringContaining('by its usage it is 221 and unknown'),
    });
  });
});
