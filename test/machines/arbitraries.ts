/** Random inputs, and random facts that a state can take. */
import * as fc from 'fast-check';
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

const IDS = ['a', 'b', 'c'] as const;
const KINDS: readonly OutcomeKind[] = [
  'succeeded',
  'failed',
  'denied',
  'timed_out',
  'interrupted',
  'not_run',
];

const PLAIN = { noNullPrototype: true } as const;

const amount: fc.Arbitrary<Amount> = fc.record({ nanoUsd: fc.nat(4), tokens: fc.nat(4) }, PLAIN);
const ceiling = fc.option(fc.nat(40), { freq: 2 });

const anyLimits: fc.Arbitrary<Limits> = fc.record(
  {
    maxTurns: fc.integer({ min: 1, max: 8 }),
    budget: fc.record({ nanoUsd: ceiling, tokens: ceiling }, PLAIN),
    maxRetries: fc.nat(3),
    maxGrowths: fc.nat(3),
    maxContinuations: fc.nat(3),
    stuckAfter: fc.integer({ min: 1, max: 3 }),
  },
  PLAIN,
);

export const anyInput: fc.Arbitrary<LoopInput> = fc.record({
  limits: anyLimits,
  onLimit: fc.constantFrom('summarise', 'stop', 'ask'),
  nextCost: amount,
  summaryCost: amount,
});

const anyCalls: fc.Arbitrary<readonly CallHead[]> = fc
  .record({
    ids: fc.shuffledSubarray([...IDS], { minLength: 1 }),
    verdicts: fc.infiniteStream(fc.constantFrom('allow', 'allow', 'ask', 'deny', 'invalid')),
    names: fc.infiniteStream(fc.constantFrom('read_file', 'run_python')),
  })
  .map(({ ids, verdicts, names }) =>
    ids.map((id) => call(id, { verdict: verdicts.next().value, name: names.next().value })),
  );

const anyMoment = fc.record({
  pick: fc.nat(),
  bill: fc.record({ cost: amount, nextCost: amount, summaryCost: amount }),
  calls: anyCalls,
  answersWithCalls: fc.boolean(),
  /** Facts that end most runs are rare, so that runs get long. */
  mayEnd: fc.nat(4).map((one) => one === 4),
  isRetryable: fc.boolean(),
  reason: fc.constantFrom('model_failed', 'context_window'),
  canGrow: fc.boolean(),
  turns: fc.integer({ min: -1, max: 2 }),
  cause: fc.constantFrom('signal', 'user', 'deadline'),
});

/** Picks a fact for a snapshot that is still active. Undefined: the state can take none of those at hand. */
export type Chooser = (snapshot: Snapshot) => LoopEvent | undefined;

export const anyChoosers: fc.Arbitrary<readonly Chooser[]> = fc.array(
  anyMoment.map((moment): Chooser => (snapshot) => {
    const possible = factsAt(moment).filter((fact) => snapshot.can(fact));
    return possible[moment.pick % possible.length];
  }),
  { minLength: 10, maxLength: 40, size: 'max' },
);

type Moment = typeof anyMoment extends fc.Arbitrary<infer Value> ? Value : never;

const factsAt = (moment: Moment): readonly LoopEvent[] => [
  called(moment.calls, moment.bill),
  called(moment.calls, moment.bill),
  paused(moment.bill),
  truncated({ ...moment.bill, calls: moment.calls, canGrow: moment.canGrow || !moment.mayEnd }),
  failed({ ...moment.bill, isRetryable: moment.isRetryable || !moment.mayEnd, reason: moment.reason }),
  retryDue,
  ...IDS.flatMap((id) => [approved(id), approved(id, 'another input'), denied(id), started(id)]),
  ...IDS.flatMap((id) => KINDS.map((kind) => finished(id, kind, moment.bill.cost))),
  raised(moment.turns),
  kept,
  interjected(moment.bill.cost),
  ...(moment.mayEnd ? endings(moment) : []),
];

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
    ...IDS.flatMap((id) => [denied(id), started(id)]),
    ...IDS.flatMap((id) => KINDS.map((kind) => finished(id, kind))),
  ].find((fact) => snapshot.can(fact));
