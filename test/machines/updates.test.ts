import { describe, expect, it } from 'vitest';
import { updates, type LoopContext, type LoopEvent, type OpenCall } from '../../machines/index.ts';
import {
  aborted,
  answered,
  approved,
  asked,
  call,
  called,
  contextWith,
  denied,
  failed,
  finished,
  FREE,
  inputWith,
  interjected,
  limitsWith,
  openCall,
  overflowed,
  paused,
  raised,
  refused,
  resumedWith,
  started,
  truncated,
  usd,
} from './support.ts';

type Update = (context: LoopContext, event: LoopEvent) => Partial<LoopContext>;
type UpdateName = Exclude<keyof typeof updates, 'initialContext'>;
type Row = readonly [
  sentence: string,
  expected: Partial<LoopContext>,
  context?: LoopContext,
  event?: LoopEvent,
];

const two = { nanoUsd: 2, tokens: 20 };
const three = { nanoUsd: 3, tokens: 30 };
const five = { nanoUsd: 5, tokens: 50 };
const eight = { nanoUsd: 8, tokens: 80 };

const bill = { cost: three, nextCost: five, summaryCost: two };
const charged = { spent: five, nextCost: five, summaryCost: two };
const a = openCall('a');
const b = openCall('b', { name: 'run_python', verdict: 'ask' });
const print = 'print of read_file';
const failing = { [print]: 1, other: 2 };
const succeeded = openCall('z', { status: 'succeeded' });
const unsuccessful = openCall('z', { status: 'unsuccessful' });

const approvedCall: OpenCall = { ...b, decision: 'approve' };
const takenUp = {
  limits: limitsWith(),
  onLimit: 'summarise',
  spent: FREE,
  nextCost: FREE,
  summaryCost: FREE,
} as const;

const always = (expected: Partial<LoopContext>): readonly Row[] => [['always', expected]];

const table: { readonly [Name in UpdateName]: readonly Row[] } = {
  chargeResponse: [
    answered(bill),
    called([], bill),
    paused(bill),
    truncated(bill),
    refused(bill),
    overflowed(bill),
    failed(bill),
  ].map((event): Row => [`after ${event.type}`, charged, contextWith({ spent: two }), event]),
  countTurn: [
    [
      'after a turn that was tried, grown and continued',
      { turn: 3, retries: 0, growths: 0, continuations: 0, followsTools: false },
      contextWith({ turn: 2, retries: 4, growths: 2, continuations: 5, followsTools: true }),
    ],
  ],
  takeCalls: [
    ['of a response without calls', { calls: [] }, contextWith({ calls: [a] }), answered()],
    ['in their order, open and undecided', { calls: [a, b] }, contextWith(), called([call('a'), asked('b')])],
    ['of a truncated response', { calls: [a] }, contextWith(), truncated({ calls: [call('a')] })],
    [
      'without the payload, which is not the state of the machine',
      { calls: [a] },
      contextWith(),
      called([Object.assign(call('a'), { input: { path: 'a.txt' } })]),
    ],
  ],
  countRetry: [['after 3 of them', { retries: 4 }, contextWith({ retries: 3 })]],
  countGrowth: [['after one', { growths: 2 }, contextWith({ growths: 1 })]],
  countContinuation: [['after one', { continuations: 2 }, contextWith({ continuations: 1 })]],
  hearUser: [
    ['with something unread', { hasUnread: false }, contextWith({ hasUnread: true })],
    ['with nothing unread', { hasUnread: false }],
    ['not while a turn is paused', { hasUnread: true }, contextWith({ hasUnread: true, continuations: 1 })],
    ['with nothing unread while a turn is paused', { hasUnread: false }, contextWith({ continuations: 1 })],
  ],
  recordInterjection: [
    [
      'once in the bound of a summary, and twice in that of a turn and the summary after it',
      { hasUnread: true, nextCost: eight, summaryCost: five },
      contextWith({ nextCost: { nanoUsd: 2, tokens: 20 }, summaryCost: two }),
      interjected(three),
    ],
  ],
  recordDecision: [
    [
      'for the call that it names',
      { calls: [a, { ...b, decision: 'approve' }] },
      contextWith({ calls: [a, b] }),
      approved('b'),
    ],
    ['as a denial', { calls: [{ ...b, decision: 'deny' }] }, contextWith({ calls: [b] }), denied('b')],
  ],
  recordStart: [
    [
      'of the call that it names',
      { calls: [a, { ...b, status: 'started' }] },
      contextWith({ calls: [a, b] }),
      started('b'),
    ],
  ],
  recordResult: [
    [
      'as a success, with what it adds to the bounds',
      { calls: [{ ...a, status: 'succeeded' }, b], nextCost: eight, summaryCost: five },
      contextWith({ calls: [a, b], nextCost: two, summaryCost: two }),
      finished('a', 'succeeded', three),
    ],
    ...(['failed', 'denied', 'timed_out', 'interrupted', 'not_run'] as const).map((kind): Row => [
      `${kind} as no success`,
      { calls: [{ ...a, status: 'unsuccessful' }], nextCost: FREE, summaryCost: FREE },
      contextWith({ calls: [a] }),
      finished('a', kind),
    ]),
  ],
  settleCalls: [
    [
      'that failed: one more failure of each',
      { calls: [], followsTools: true, failing: { ...failing, [print]: 2 } },
      contextWith({ failing, calls: [unsuccessful] }),
    ],
    [
      'that failed twice in one turn: one more failure',
      { calls: [], followsTools: true, failing: { [print]: 1 } },
      contextWith({ calls: [unsuccessful, { ...unsuccessful, id: 'y' }] }),
    ],
    ...['constructor', '__proto__', 'toString'].map((fingerprint): Row => [
      `that failed, whose fingerprint is ${fingerprint}: its first failure`,
      { calls: [], followsTools: true, failing: Object.fromEntries([[fingerprint, 1]]) },
      contextWith({ calls: [{ ...unsuccessful, fingerprint }] }),
    ]),
    [
      'of which one succeeded: progress',
      { calls: [], followsTools: true, failing: {} },
      contextWith({ failing, calls: [unsuccessful, succeeded] }),
    ],
  ],
  takeUp: [
    [
      'with the limits of the resumption, what it charges, and what the user says with it',
      {
        limits: limitsWith({ maxTurns: 9 }),
        onLimit: 'ask',
        spent: five,
        hasUnread: true,
        calls: [],
        nextCost: eight,
        summaryCost: five,
      },
      contextWith({ spent: two, nextCost: two, summaryCost: two }),
      resumedWith({
        limits: limitsWith({ maxTurns: 9 }),
        onLimit: 'ask',
        cost: three,
        hasWords: true,
        promptCost: { next: { nanoUsd: 6, tokens: 60 }, summary: three },
      }),
    ],
    [
      'without a word: what was unread stays unread, and no call changes',
      { ...takenUp, hasUnread: true, calls: [a, b] },
      contextWith({ hasUnread: true, calls: [a, b] }),
      resumedWith(),
    ],
    [
      'with new verdicts for calls that have no result, and decisions that count no more',
      {
        ...takenUp,
        hasUnread: false,
        calls: [
          { ...a, verdict: 'deny' },
          { ...b, decision: null },
          { ...approvedCall, id: 'c', status: 'started', verdict: 'deny' },
          succeeded,
        ],
      },
      contextWith({
        calls: [a, approvedCall, { ...approvedCall, id: 'c', status: 'started' }, succeeded],
      }),
      resumedWith({
        judgements: [
          { callId: 'a', verdict: 'deny', isDecisionKept: true },
          { callId: 'b', verdict: 'ask', isDecisionKept: false },
          { callId: 'c', verdict: 'deny', isDecisionKept: true },
          { callId: 'z', verdict: 'deny', isDecisionKept: false },
        ],
      }),
    ],
  ],
  raiseLimit: [
    [
      'by so many turns, and nothing else of the limits',
      { limits: limitsWith({ maxTurns: 5, stuckAfter: 7 }) },
      contextWith({ limits: { maxTurns: 3, stuckAfter: 7 } }),
      raised(2),
    ],
  ],
  keepLimit: always({ onLimit: 'summarise' }),
  chargeAbort: [
    ['by a signal', { spent: five, cause: 'aborted' }, contextWith({ spent: two }), aborted('signal', three)],
    ['by the user', { spent: five, cause: 'aborted' }, contextWith({ spent: two }), aborted('user', three)],
    [
      'by the deadline',
      { spent: five, cause: 'deadline' },
      contextWith({ spent: two }),
      aborted('deadline', three),
    ],
  ],
  blameBudget: always({ cause: 'budget', retries: 0, growths: 0 }),
  blameStuck: always({ cause: 'stuck', retries: 0, growths: 0 }),
  blameMaxTurns: always({ cause: 'max_turns', retries: 0, growths: 0 }),
  blameMaxTokens: always({ cause: 'max_tokens', retries: 0, growths: 0 }),
  summaryAnswered: always({ summary: 'answered' }),
  summaryCalledTools: always({ summary: 'called_tools' }),
  summaryTruncated: always({ summary: 'truncated' }),
  summaryRefused: always({ summary: 'refused' }),
  summaryFailed: always({ summary: 'failed' }),
  summarySkipped: always({ summary: 'skipped' }),
};

const { initialContext, ...changing } = updates;

describe.each(Object.entries<Update>(changing))('%s', (name, update) => {
  const rows = new Map<string, readonly Row[]>(Object.entries(table)).get(name) ?? [];

  for (const [sentence, expected, context = contextWith(), event = answered()] of rows) {
    it(sentence, () => {
      const before = structuredClone(context);
      expect(update(context, event)).toEqual(expected);
      expect(context).toEqual(before);
    });
  }
});

describe('an update of a fact', () => {
  it.each([
    ['chargeResponse', updates.chargeResponse],
    ['takeCalls', updates.takeCalls],
    ['recordInterjection', updates.recordInterjection],
    ['recordDecision', updates.recordDecision],
    ['recordStart', updates.recordStart],
    ['recordResult', updates.recordResult],
    ['raiseLimit', updates.raiseLimit],
    ['takeUp', updates.takeUp],
  ] as const)('%s throws for another fact', (_name, update) => {
    expect(() => update(contextWith(), aborted())).toThrow('run.aborted');
  });

  it('chargeAbort throws for another fact', () => {
    expect(() => updates.chargeAbort(contextWith(), raised(1))).toThrow('limit.raised');
  });
});

describe('initialContext', () => {
  it('begins with nothing asked, spent or failed', () => {
    const input = inputWith({ nextCost: usd(7), summaryCost: usd(6), onLimit: 'ask' });
    expect(initialContext(input)).toEqual({
      ...input,
      turn: 0,
      spent: FREE,
      retries: 0,
      growths: 0,
      continuations: 0,
      calls: [],
      failing: {},
      followsTools: false,
      hasUnread: false,
      cause: null,
      summary: null,
    });
  });

  it('takes over what earlier segments bring, and nothing else', () => {
    const carried = { turn: 4, spent: three, failing, followsTools: true, hasUnread: true };
    expect(initialContext(inputWith({ carried }))).toEqual({ ...contextWith(), ...carried });
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('a last response that was paused: %s, so %i continuations are counted', (isPaused, continuations) => {
    const carried = { turn: 4, spent: FREE, failing: {}, followsTools: false, isPaused };
    expect(initialContext(inputWith({ carried })).continuations).toBe(continuations);
  });
});
