/** Random inputs, and random facts that a state can take: up to 60 turns, up to 12 calls in each. */
import * as fc from 'fast-check';
import { randomFrom } from '../../src/testing/random.ts';
import type { Amount, CallHead, Limits, LoopEvent, LoopInput, OutcomeKind } from '../../machines/index.ts';
import {
  aborted,
  answered,
  approved,
  called,
  call,
  denied,
  failed,
  finished,
  interjected,
  kept,
  overflowed,
  paused,
  raised,
  refused,
  retryDue,
  started,
  truncated,
  type Snapshot,
} from './support.ts';

/** Plain ones, and those that somebody who keeps calls in an object would stumble over. */
const IDS = [
  ...'abcdefgh',
  '',
  ' ',
  '0',
  '-1',
  'é',
  '\ud83d',
  'length',
  'toString',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'x'.repeat(2_000),
];
const NAMES = ['read_file', 'run_python', '', '__proto__', 'constructor'];
const KINDS: readonly OutcomeKind[] = [
  'succeeded',
  'failed',
  'denied',
  'timed_out',
  'interrupted',
  'not_run',
];
/** A run in which little succeeds is stuck soon. */
const OUTCOMES: readonly OutcomeKind[] = [...KINDS, ...Array.from({ length: 5 }, () => 'succeeded' as const)];

const PLAIN = { noNullPrototype: true } as const;

const amount: fc.Arbitrary<Amount> = fc.record({ nanoUsd: fc.nat(4), tokens: fc.nat(4) }, PLAIN);
const scarce = fc.option(fc.nat(40), { freq: 2 });
const plenty = fc.option(fc.integer({ min: 1_000, max: 100_000 }));

const limitsOf = (
  maxTurns: fc.Arbitrary<number>,
  ceiling: fc.Arbitrary<number | null>,
  stuckAfter: fc.Arbitrary<number>,
): fc.Arbitrary<Limits> =>
  fc.record(
    {
      maxTurns,
      budget: fc.record({ nanoUsd: ceiling, tokens: ceiling }, PLAIN),
      maxRetries: fc.nat(3),
      maxGrowths: fc.nat(3),
      maxContinuations: fc.nat(3),
      stuckAfter,
    },
    PLAIN,
  );

const inputWith = (limits: fc.Arbitrary<Limits>): fc.Arbitrary<LoopInput> =>
  fc.record({
    limits,
    onLimit: fc.constantFrom('summarise', 'stop', 'ask'),
    nextCost: amount,
    summaryCost: amount,
  });

/** From `least` to `most` calls, each with an id of its own. */
const callsOf = (least: number, most: number): fc.Arbitrary<readonly CallHead[]> =>
  fc
    .record({
      ids: fc.shuffledSubarray(IDS, { minLength: least, maxLength: most }),
      verdicts: fc.infiniteStream(fc.constantFrom('allow', 'allow', 'ask', 'deny', 'invalid')),
      names: fc.infiniteStream(fc.constantFrom(...NAMES)),
    })
    .map(({ ids, verdicts, names }) =>
      ids.map((id) => call(id, { verdict: verdicts.next().value, name: names.next().value })),
    );
const anyCalls = fc.oneof({ weight: 5, arbitrary: callsOf(1, 3) }, callsOf(8, 12));

const momentWith = (endings: number) =>
  fc.record({
    seed: fc.integer(),
    bill: fc.record({ cost: amount, nextCost: amount, summaryCost: amount }),
    calls: anyCalls,
    answersWithCalls: fc.boolean(),
    /** Facts that end most runs are rare, so that runs get long. */
    mayEnd: fc.nat(endings - 1).map((one) => one === endings - 1),
    isRetryable: fc.boolean(),
    reason: fc.constantFrom('model_failed', 'context_window'),
    canGrow: fc.boolean(),
    turns: fc.integer({ min: -1, max: 2 }),
    cause: fc.constantFrom('signal', 'user', 'deadline'),
  });

type Moment = ReturnType<typeof momentWith> extends fc.Arbitrary<infer Value> ? Value : never;

/** Picks a fact for a snapshot that is still active. Undefined: the state can take none of those at hand. */
export type Chooser = (snapshot: Snapshot) => LoopEvent | undefined;

const chooser = (moment: Moment): Chooser => {
  return (snapshot) => {
    const random = randomFrom(moment.seed);
    const facts = factsAt(moment, snapshot, random);
    // In a random order: which of them are possible need not be known of all.
    while (facts.length > 0) {
      const [fact] = facts.splice(Math.floor(random() * facts.length), 1);
      if (fact !== undefined && snapshot.can(fact)) return fact;
    }
    return undefined;
  };
};

/** What a run starts from, and what happens to it. */
export interface RandomRun {
  readonly input: LoopInput;
  readonly choosers: readonly Chooser[];
}

const shortRun: fc.Arbitrary<RandomRun> = fc.record({
  input: inputWith(limitsOf(fc.integer({ min: 1, max: 8 }), scarce, fc.integer({ min: 1, max: 3 }))),
  choosers: fc.array(momentWith(5).map(chooser), { minLength: 10, maxLength: 40, size: 'max' }),
});

const longRun: fc.Arbitrary<RandomRun> = fc.record({
  input: inputWith(
    limitsOf(
      fc.oneof(fc.integer({ min: 30, max: 60 }), fc.constant(60)),
      plenty,
      fc.integer({ min: 3, max: 10 }),
    ),
  ),
  choosers: fc.array(momentWith(2_000).map(chooser), { minLength: 300, maxLength: 600, size: 'max' }),
});

export const anyRun: fc.Arbitrary<RandomRun> = fc.oneof(
  { weight: 3, arbitrary: shortRun },
  { weight: 1, arbitrary: longRun },
);

function factsAt(moment: Moment, { context }: Snapshot, random: () => number): LoopEvent[] {
  const { bill, calls, mayEnd } = moment;
  const { retries, growths, continuations, limits } = context;
  const open = context.calls.filter(({ status }) => status === 'open' || status === 'started');
  const any = <One>(list: readonly One[]): readonly One[] =>
    list.slice(Math.floor(random() * list.length), 1);
  const asked = open.filter(({ verdict, decision }) => verdict === 'ask' && decision === null);
  const ids = [...open.slice(0, 1), ...any(open), ...any(asked)].map(({ id }) => id);
  return [
    ...Array.from({ length: 6 }, () => called(calls, bill)),
    called([...calls, ...calls], bill),
    ...(mayEnd || continuations < limits.maxContinuations ? [paused(bill)] : []),
    ...(mayEnd || growths < limits.maxGrowths
      ? [truncated({ ...bill, calls, canGrow: moment.canGrow || !mayEnd })]
      : []),
    ...(mayEnd || retries < limits.maxRetries
      ? [failed({ ...bill, isRetryable: moment.isRetryable || !mayEnd, reason: moment.reason })]
      : []),
    retryDue,
    ...[...ids, ...any(IDS)].flatMap((id) => [
      approved(id),
      approved(id, 'another input'),
      denied(id),
      started(id),
      ...OUTCOMES.map((kind) => finished(id, kind, bill.cost)),
    ]),
    raised(moment.turns),
    kept,
    // The only one that every state takes.
    ...(random() < 0.2 ? [interjected(bill.cost)] : []),
    ...(mayEnd ? endings(moment) : []),
  ];
}

const endings = ({ bill, calls, answersWithCalls, cause }: Moment): readonly LoopEvent[] => [
  answered({ ...bill, calls: answersWithCalls ? calls : [] }),
  refused(bill),
  overflowed(bill),
  aborted(cause, bill.cost),
];

/** The fact that leads on with the least ado: an answer, a denial, a result. */
export const obliging: Chooser = (snapshot) =>
  [
    answered(),
    retryDue,
    kept,
    ...snapshot.context.calls.flatMap(({ id }) => [denied(id), started(id)]),
    ...snapshot.context.calls.flatMap(({ id }) => KINDS.map((kind) => finished(id, kind))),
  ].find((fact) => snapshot.can(fact));
