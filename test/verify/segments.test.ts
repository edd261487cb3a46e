import { describe, expect, it } from 'vitest';
import { verifyJournal } from '../../src/verify/index.ts';
import { play, replies, text, toolUse } from '../support/world.ts';
import { both, clean, drop, insert, repeat, replaceText, set, type Damage } from './recorded.ts';

const AT = '1970-01-01T00:00:00.000Z';
const LIMITS = {
  maxTurns: 10,
  budget: { nanoUsd: null, tokens: null },
  maxRetries: 4,
  maxGrowths: 2,
  maxContinuations: 5,
  stuckAfter: 3,
};

/** The answered run goes on: 16 resumes it, 17 is another answer, 18 the end. */
const resumed: Damage = both(
  insert(16, { type: 'run.resumed', at: AT, limits: LIMITS, model: 'test-model', message: 'And?' }),
  repeat(14, 17),
  repeat(15, 18),
  set(18, 'result.costUsd', 0.00075),
  set(18, 'result.usage', { inputTokens: 500, outputTokens: 50, cacheReadTokens: 0, cacheWriteTokens: 0 }),
);

const DAMAGES: readonly (readonly [string, Damage, number, number, RegExp])[] = [
  [
    'a resumption behind no end',
    drop(15),
    15,
    6,
    /The run is resumed, but the segment before this has no end/,
  ],
  ['a limit that is reached', set(16, 'limits.maxTurns', 4), 17, 5, /turn 5; there may be 4 turns/],
  ['a spend of the last segment alone', set(18, 'result.costUsd', 0.00015), 18, 4, /sum up to 0\.00075/],
  [
    'a second resumption',
    repeat(16, 17),
    17,
    6,
    /The run is resumed, but the segment before this has no end/,
  ],
  ['a last segment without an end', drop(18), 17, 6, /has no end/],
  ['a second end of another run', set(18, 'result.runId', 'x'), 18, 6, /^This is the end of another run/],
  ['a fact between its segments', repeat(3, 16), 16, 6, /^The segment has ended: tool.started has no place/],
  ['an open call at its last end', both(drop(13), drop(12)), 10, 3, /^The call d has no result\.$/],
];

/** Of a resumed run; each is in what the machine cannot see, or would be of a rule that looks at the first segment. */
const UNSEEN: readonly (readonly [string, Damage])[] = [
  ['another reason at its last end', set(18, 'result.reason', 'max_turns')],
  ['another answer at its last end', set(18, 'result.answer', 'x')],
  ['another state behind its resumption', set(17, 'request', 'summary')],
  ['another bound behind its resumption', set(17, 'nextCost.tokens', 0)],
];

describe('a run that was resumed', () => {
  it('holds', () => {
    expect(verifyJournal(resumed(clean()))).toEqual([]);
  });

  it.each(DAMAGES)(
    `with %s does not (one of ${DAMAGES.length} damages)`,
    (_, damage, line, invariant, words) => {
      expect(verifyJournal(damage(resumed(clean())))).toContainEqual({
        line,
        invariant,
        message: expect.stringMatching(words),
      });
    },
  );
});

describe('of a run that was resumed', () => {
  it.each(UNSEEN)('%s is not looked at', (_, damage) => {
    expect(verifyJournal(damage(resumed(clean())))).toEqual([]);
  });
});

const waiting = await play({
  turns: [replies([toolUse('r'), toolUse('a', 'write')])],
  box: { asks: ['write'] },
  approver: { decide: async () => ({ decision: 'wait' }) },
});

describe('a run that waits', () => {
  const lines = (): unknown[] => JSON.parse(JSON.stringify(waiting.lines)) as unknown[];

  it.each([
    { what: 'for other calls', damage: set(3, 'result.callIds', ['r']), says: /waits for are not those/ },
    {
      what: 'for nothing',
      damage: replaceText('"verdict":"ask"', '"verdict":"allow"'),
      says: /there is no call/,
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
    const plain = JSON.parse(JSON.stringify(lines)) as unknown[];
    expect(verifyJournal(plain)).toEqual([]);
    expect(verifyJournal(set(2, 'cost.tokens', 94)(plain))).toContainEqual({
      line: 2,
      invariant: 4,
      message: expect.stringContaining('by its usage it is 221 and unknown'),
    });
  });
});
