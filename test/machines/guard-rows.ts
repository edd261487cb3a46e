import type { Cause, guards, LoopContext, LoopEvent, OpenCall } from '../../machines/index.ts';
import {
  called,
  call,
  aborted,
  approved,
  contextWith,
  failed,
  finished,
  openCall,
  raised,
  started,
  tokens,
  truncated,
  usd,
} from './support.ts';

export type Row = readonly [sentence: string, expected: boolean, context?: LoopContext, event?: LoopEvent];

const over = (spent: number, next: number, summary = 0): LoopContext =>
  contextWith({
    spent: usd(spent),
    nextCost: usd(next),
    summaryCost: usd(summary),
    limits: { budget: { nanoUsd: 100, tokens: null } },
  });

const overTokens = (spent: number, next: number): LoopContext =>
  contextWith({
    spent: tokens(spent),
    nextCost: tokens(next),
    summaryCost: tokens(next),
    limits: { budget: { nanoUsd: null, tokens: 100 } },
  });

const turns = (turn: number, changes: Partial<LoopContext> = {}): LoopContext =>
  contextWith({ turn, ...changes, limits: { maxTurns: 3 } });

const withCalls = (...calls: readonly OpenCall[]): LoopContext => contextWith({ calls });

const ask = openCall('a', { verdict: 'ask' });
const approvedCall = openCall('a', { verdict: 'ask', decision: 'approve' });
const deniedCall = openCall('a', { verdict: 'ask', decision: 'deny' });
const startedCall = openCall('a', { status: 'started' });
const done = openCall('z', { status: 'succeeded' });
const failedCall = openCall('z', { status: 'unsuccessful' });
const afterTools = { followsTools: true };

const CAUSES: readonly Cause[] = ['max_turns', 'budget', 'deadline', 'stuck', 'max_tokens', 'aborted'];
/** True for exactly these causes. */
const forCauses = (...holding: readonly Cause[]): readonly Row[] => [
  ['there is no cause', false],
  ...CAUSES.map((cause): Row => [`the cause is ${cause}`, holding.includes(cause), contextWith({ cause })]),
];

/** What each guard answers, where. Without a context or a fact, the answer needs none. */
export const guardRows: { readonly [Guard in keyof typeof guards]: readonly Row[] } = {
  isOverBudget: [
    ['nothing is budgeted', false, contextWith({ spent: usd(1e15), nextCost: usd(1e15) })],
    ['spend and bound are below the budget', false, over(60, 39)],
    ['spend and bound are the budget', false, over(60, 40)],
    ['spend and bound are one nano-dollar more', true, over(60, 41)],
    ['tokens are below their budget', false, overTokens(60, 39)],
    ['tokens are at their budget', false, overTokens(60, 40)],
    ['tokens are one above their budget', true, overTokens(60, 41)],
    [
      'only the tokens are over, both budgeted',
      true,
      contextWith({ spent: { nanoUsd: 1, tokens: 101 }, limits: { budget: { nanoUsd: 100, tokens: 100 } } }),
    ],
  ],
  isStuck: [
    ['nothing has failed', false],
    ['a call has failed twice of three times', false, contextWith({ failing: { a: 2, b: 1 } })],
    ['a call has failed three times', true, contextWith({ failing: { a: 1, b: 3 } })],
    ['a carried streak is longer than the limit', true, contextWith({ failing: { a: 4 } })],
  ],
  isOutOfTurns: [
    ['2 of 3 turns are asked', false, turns(2)],
    ['3 of 3 turns are asked', true, turns(3)],
    ['more turns are carried than the limit allows', true, turns(4)],
  ],
  isSummaryDue: [
    ['the second of 3 turns would follow tools', false, turns(1, afterTools)],
    ['the last turn would follow tools', true, turns(2, afterTools)],
    [
      'the last turn would follow tools and a person can be asked',
      true,
      turns(2, { ...afterTools, onLimit: 'ask' }),
    ],
    ['the last turn is an ordinary one by choice', false, turns(2, { ...afterTools, onLimit: 'stop' })],
    ['the last turn follows no tools', false, turns(2)],
  ],
  isRaiseDue: [
    ['the last turn would follow tools', true, turns(2, { ...afterTools, onLimit: 'ask' })],
    ['it is not the last turn', false, turns(1, { ...afterTools, onLimit: 'ask' })],
    ['nobody is to be asked', false, turns(2, afterTools)],
  ],
  isToolless: [
    ['a turn is left after this one', false, turns(1)],
    ['it is the last turn', true, turns(2)],
    ['it is the last turn and a person may raise the limit', true, turns(2, { onLimit: 'ask' })],
    ['it is the last turn, an ordinary one by choice', false, turns(2, { onLimit: 'stop' })],
  ],
  isWrappingUp: [
    ['there is no cause', false],
    ['there is a cause', true, contextWith({ cause: 'stuck' })],
  ],
  canAskSummary: [
    ['a turn is left and the summary fits exactly', true, over(60, 1000, 40)],
    ['the summary is one nano-dollar too much', false, over(60, 0, 41)],
    ['the summary is one token too much', false, overTokens(60, 41)],
    ['no turn is left', false, turns(3)],
  ],
  wantsSummary: [
    ...forCauses('max_turns', 'budget', 'stuck'),
    ['the summary was asked for already', false, contextWith({ cause: 'budget', summary: 'called_tools' })],
  ],
  wantsToHear: [
    ['nothing is unread', false, turns(1)],
    ['something is unread and a turn is left', true, turns(2, { hasUnread: true })],
    ['something is unread and no turn is left', false, turns(3, { hasUnread: true })],
  ],
  hasOpenCalls: [
    ['there are no calls', false],
    ['all calls have their result', false, withCalls(done, failedCall)],
    ['a call has not begun', true, withCalls(done, ask)],
    ['a call has started', true, withCalls(done, startedCall)],
  ],
  needsApproval: [
    ['there are no calls', false],
    ['an asked call has no decision', true, withCalls(approvedCall, openCall('b', { verdict: 'ask' }))],
    ['asked calls are decided', false, withCalls(approvedCall, deniedCall)],
    ...(['allow', 'deny', 'invalid'] as const).map((verdict): Row => [
      `the verdict is ${verdict}`,
      false,
      withCalls(openCall('a', { verdict })),
    ]),
  ],
  canRetry: [
    ['nothing was tried again', true, contextWith(), failed()],
    ['3 of 4 retries are used', true, contextWith({ retries: 3 }), failed()],
    ['4 of 4 retries are used', false, contextWith({ retries: 4 }), failed()],
    ['the failure is not retryable', false, contextWith(), failed({ isRetryable: false })],
    ['no retry is allowed', false, contextWith({ limits: { maxRetries: 0 } }), failed()],
  ],
  hasDistinctCalls: [
    ['each call has an id of its own', true, contextWith(), called([call('a'), call('b')])],
    ['two calls have one id', false, contextWith(), called([call('a'), call('a')])],
    ['there is no call', false, contextWith(), called([])],
  ],
  canGrow: [
    ['1 of 2 growths is used', true, contextWith({ growths: 1 }), truncated()],
    ['2 of 2 growths are used', false, contextWith({ growths: 2 }), truncated()],
    ['there is no room to grow', false, contextWith(), truncated({ canGrow: false })],
  ],
  canContinue: [
    ['4 of 5 continuations are used', true, contextWith({ continuations: 4 })],
    ['5 of 5 continuations are used', false, contextWith({ continuations: 5 })],
  ],
  isContextWindow: [
    ['the model has failed', false, contextWith(), failed()],
    ['the prompt is too long', true, contextWith(), failed({ reason: 'context_window' })],
  ],
  isAwaited: [
    ['the call waits for it', true, withCalls(ask), approved('a')],
    ['the input is another one', false, withCalls(ask), approved('a', 'other')],
    ['the call is another one', false, withCalls(ask), approved('b', 'input of a')],
    ['the call is approved already', false, withCalls(approvedCall), approved('a')],
    ['the call is denied already', false, withCalls(deniedCall), approved('a')],
    ['the call needs no decision', false, withCalls(openCall('a')), approved('a')],
  ],
  isLastDecision: [
    ['it is the only one', true, withCalls(ask, openCall('b')), approved('a')],
    ['another call waits', false, withCalls(ask, openCall('b', { verdict: 'ask' })), approved('a')],
    ['it is not awaited', false, withCalls(ask), approved('a', 'other')],
  ],
  canStart: [
    ['the call is allowed', true, withCalls(openCall('a')), started('a')],
    ['a later call is allowed', true, withCalls(openCall('b'), openCall('a')), started('a')],
    ['the call is approved', true, withCalls(approvedCall), started('a')],
    ['the call is not decided', false, withCalls(ask), started('a')],
    ['the call is denied by a person', false, withCalls(deniedCall), started('a')],
    ['the call is denied by a rule', false, withCalls(openCall('a', { verdict: 'deny' })), started('a')],
    ['the call is invalid', false, withCalls(openCall('a', { verdict: 'invalid' })), started('a')],
    ['the call has started', false, withCalls(startedCall), started('a')],
    ['the call has succeeded', false, withCalls(done), started('z')],
    ['the call has failed', false, withCalls(failedCall), started('z')],
    ['there is no such call', false, withCalls(openCall('a')), started('b')],
  ],
  canFinish: [
    ...(['succeeded', 'failed', 'timed_out', 'interrupted'] as const).map((kind): Row => [
      `a started call ends as ${kind}`,
      true,
      withCalls(done, startedCall),
      finished('a', kind),
    ]),
    ...(['denied', 'not_run'] as const).map((kind): Row => [
      `a started call ends as ${kind}`,
      false,
      withCalls(startedCall),
      finished('a', kind),
    ]),
    ['a denied call is denied', true, withCalls(deniedCall), finished('a', 'denied')],
    ['a denied call has succeeded', false, withCalls(deniedCall), finished('a')],
    ['a denied call has timed out', false, withCalls(deniedCall), finished('a', 'timed_out')],
    [
      'an invalid call has failed',
      true,
      withCalls(openCall('a', { verdict: 'invalid' })),
      finished('a', 'failed'),
    ],
    [
      'an allowed call has failed before it started',
      false,
      withCalls(openCall('a')),
      finished('a', 'failed'),
    ],
    ['an approved call is denied', false, withCalls(approvedCall), finished('a', 'denied')],
    ['an earlier call is open', false, withCalls(openCall('b'), startedCall), finished('a')],
    ['no call is open', false, withCalls(done), finished('z')],
  ],
  isLastResult: [
    ['no other call is open', true, withCalls(done, startedCall), finished('a')],
    ['a later call is open', false, withCalls(startedCall, openCall('b')), finished('a')],
    ['it cannot finish', false, withCalls(startedCall), finished('a', 'denied')],
  ],
  canClose: [
    ['a call that did not start has not run', true, withCalls(done, openCall('a')), finished('a', 'not_run')],
    ['an asked call has not run', true, withCalls(ask), finished('a', 'not_run')],
    ['a started call is interrupted', true, withCalls(startedCall), finished('a', 'interrupted')],
    ['a started call has not run', false, withCalls(startedCall), finished('a', 'not_run')],
    ['a started call has succeeded after all', true, withCalls(startedCall), finished('a')],
    ['a started call is denied', false, withCalls(startedCall), finished('a', 'denied')],
    ['a call that did not start is interrupted', false, withCalls(ask), finished('a', 'interrupted')],
    ['an earlier call is open', false, withCalls(openCall('b'), ask), finished('a', 'not_run')],
    ['no call is open', false, withCalls(done), finished('z', 'not_run')],
  ],
  isRaise: [
    ['one turn is given', true, contextWith(), raised(1)],
    ['nothing is given', false, contextWith(), raised(0)],
    ['half a turn is given', false, contextWith(), raised(1.5)],
    ['more is given than can be counted', false, contextWith(), raised(2 ** 53)],
    ['the sum is more than can be counted', false, contextWith(), raised(2 ** 53 - 1)],
  ],
  isDeadline: [
    ['the time is over', true, contextWith(), aborted('deadline')],
    ['the user stops', false, contextWith(), aborted('user')],
    ['a signal came', false, contextWith(), aborted('signal')],
  ],
  isCausedByBudget: forCauses('budget'),
  isCausedByDeadline: forCauses('deadline'),
  isCausedByStuck: forCauses('stuck'),
  isCausedByMaxTokens: forCauses('max_tokens'),
  isCausedByAbort: forCauses('aborted'),
};
