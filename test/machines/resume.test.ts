import { describe, expect, it } from 'vitest';
import { inputAfter, updates, type LoopContext, type RunResumed } from '../../machines/index.ts';

const amount = (nanoUsd: number, tokens: number) => ({ nanoUsd, tokens });

const limits = {
  maxTurns: 5,
  budget: { nanoUsd: null, tokens: null },
  maxRetries: 1,
  maxGrowths: 1,
  maxContinuations: 1,
  stuckAfter: 2,
};

const stopped: LoopContext = {
  ...updates.initialContext({
    limits: { ...limits, maxTurns: 1 },
    onLimit: 'stop',
    nextCost: amount(10, 100),
    summaryCost: amount(20, 200),
  }),
  turn: 1,
  spent: amount(3, 30),
  failing: { a: 1 },
};

const fact: RunResumed = {
  type: 'run.resumed',
  limits,
  onLimit: 'ask',
  judgements: [],
  hasWords: false,
  promptCost: { next: amount(1, 2), summary: amount(4, 8) },
  cost: amount(5, 6),
};

const calls: LoopContext['calls'] = [
  {
    id: 'c',
    name: 'n',
    fingerprint: 'f',
    inputHash: 'h',
    verdict: 'allow',
    decision: null,
    status: 'succeeded',
  },
];

describe('what a stopped run starts with when it is resumed', () => {
  it('are the new limits, the turns of before, and every cost added up', () => {
    expect(inputAfter(stopped, fact)).toEqual({
      limits,
      onLimit: 'ask',
      nextCost: amount(11, 102),
      summaryCost: amount(24, 208),
      carried: {
        turn: 1,
        spent: amount(8, 36),
        failing: { a: 1 },
        followsTools: false,
        isPaused: false,
        hasUnread: false,
      },
    });
  });

  it.each<{ what: string; context?: Partial<LoopContext>; given?: Partial<RunResumed>; carried: object }>([
    {
      what: 'words are unread, and a streak is forgiven',
      given: { hasWords: true },
      carried: { hasUnread: true, failing: {} },
    },
    {
      what: 'words of before are still unread',
      context: { hasUnread: true },
      carried: { hasUnread: true, failing: { a: 1 } },
    },
    { what: 'a stuck run may try again', context: { failing: { a: 2 } }, carried: { failing: {} } },
    {
      what: 'a streak within new limits is carried',
      context: { failing: { a: 2 } },
      given: { limits: { ...limits, stuckAfter: 3 } },
      carried: { failing: { a: 2 } },
    },
    {
      what: 'results that the model has not seen follow tools',
      context: { followsTools: true },
      carried: { followsTools: true },
    },
    {
      what: 'calls that were closed at the stop do as well',
      context: { calls },
      carried: { followsTools: true },
    },
    { what: 'a pause goes on', context: { continuations: 1 }, carried: { isPaused: true } },
  ])('$what', ({ context, given, carried }) => {
    expect(inputAfter({ ...stopped, ...context }, { ...fact, ...given }).carried).toMatchObject(carried);
  });
});
