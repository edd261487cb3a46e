import {
  aborted,
  answered,
  approved,
  asked,
  call,
  called,
  denied,
  failed,
  finished,
  FREE,
  inputWith,
  interjected,
  kept,
  limitsWith,
  notRun,
  paused,
  refused,
  resumedWith,
  retryDue,
  runs,
  started,
  tokens,
  toolTurn,
  type Rule,
} from '../support.ts';

const resumed = resumedWith();
const withTurns = (maxTurns: number) => resumedWith({ limits: limitsWith({ maxTurns }) });
const words = resumedWith({ hasWords: true });
const budget = { nanoUsd: null, tokens: 100 };

export const resumeRules: readonly Rule[] = [
  {
    rule: 'a request that was out when the process died is asked again, and charged with the most that it can have cost',
    steps: [
      [resumedWith({ cost: tokens(7) }), 'callingModel'],
      [answered(), 'stoppedEndTurn'],
    ],
    output: { spent: tokens(7), turns: 1 },
  },
  {
    rule: 'what a lost request may have cost is looked at before it is asked again',
    input: inputWith({ limits: { budget }, nextCost: tokens(60), summaryCost: tokens(50) }),
    steps: [
      [resumedWith({ limits: limitsWith({ budget }), cost: tokens(50) }), 'finalSummary'],
      [answered({ request: 'summary' }), 'stoppedBudget'],
    ],
  },
  {
    rule: 'a wait before a retry begins again, and counts as it did',
    steps: [
      [failed(), 'backingOff'],
      [resumed, 'backingOff'],
      [retryDue, 'callingModel'],
    ],
    context: { retries: 1 },
  },
  {
    rule: 'a call that waits for approval waits again, without a new request',
    steps: [
      [called([asked('a')]), 'awaitingApproval'],
      [resumed, 'awaitingApproval'],
      [approved('a'), 'executingTools'],
      ...runs('a', 'callingModel'),
    ],
    context: { turn: 1 },
  },
  {
    rule: 'decisions that were made count in the next process',
    steps: [
      [called([asked('a'), asked('b')]), 'awaitingApproval'],
      [denied('a'), 'awaitingApproval'],
      [resumed, 'awaitingApproval'],
      [approved('b'), 'executingTools'],
    ],
  },
  {
    rule: 'a decision that counts no more is asked for again',
    steps: [
      [called([asked('a')]), 'awaitingApproval'],
      [approved('a'), 'executingTools'],
      [
        resumedWith({ judgements: [{ callId: 'a', verdict: 'ask', isDecisionKept: false }] }),
        'awaitingApproval',
      ],
      [denied('a'), 'executingTools'],
    ],
  },
  {
    rule: 'a call that the rules forbid now does not run, though it was approved',
    steps: [
      [called([asked('a')]), 'awaitingApproval'],
      [approved('a'), 'executingTools'],
      [
        resumedWith({ judgements: [{ callId: 'a', verdict: 'deny', isDecisionKept: true }] }),
        'executingTools',
      ],
      [finished('a', 'denied'), 'callingModel'],
    ],
  },
  {
    rule: 'in the middle of a batch it goes on with the calls that have no result',
    steps: [
      [called([call('a'), call('b')]), 'executingTools'],
      ...runs('a', 'executingTools'),
      [started('b'), 'executingTools'],
      [resumed, 'executingTools'],
      [finished('b', 'interrupted'), 'callingModel'],
    ],
  },
  {
    rule: 'calls that are being closed are closed to the end',
    steps: [
      [called([call('a')]), 'executingTools'],
      [aborted(), 'closingCalls'],
      [resumed, 'closingCalls'],
      [notRun('a'), 'stoppedAborted'],
    ],
  },
  {
    rule: 'at the turn limit a person is asked again, unless the limit was raised with the resumption',
    input: inputWith({ limits: { maxTurns: 2 }, onLimit: 'ask' }),
    steps: [
      ...toolTurn('askingToContinue'),
      [resumedWith({ limits: limitsWith({ maxTurns: 2 }), onLimit: 'ask' }), 'askingToContinue'],
      [resumedWith({ limits: limitsWith({ maxTurns: 3 }), onLimit: 'ask' }), 'callingModel'],
      [answered(), 'stoppedEndTurn'],
    ],
  },
  {
    rule: 'a summary that was asked for is asked for again, also where the limit was raised: its cause stands',
    input: inputWith({ limits: { maxTurns: 2 }, onLimit: 'ask' }),
    steps: [
      ...toolTurn('askingToContinue'),
      [kept, 'finalSummary'],
      [withTurns(9), 'finalSummary'],
      [answered({ request: 'summary' }), 'stoppedMaxTurns'],
    ],
  },
  {
    rule: 'after an answer a message leads to another turn',
    steps: [
      [answered(), 'stoppedEndTurn'],
      [words, 'callingModel'],
      [answered(), 'stoppedEndTurn'],
    ],
    output: { turns: 2 },
  },
  {
    rule: 'B06: turns of earlier segments count',
    input: inputWith({ limits: { maxTurns: 2 } }),
    steps: [
      ...toolTurn('finalSummary'),
      [answered({ request: 'summary' }), 'stoppedMaxTurns'],
      [withTurns(4), 'callingModel'],
      ...toolTurn('finalSummary'),
      [answered({ request: 'summary' }), 'stoppedMaxTurns'],
    ],
    output: { turns: 4 },
  },
  {
    rule: 'results of calls that were closed are shown to the model',
    input: inputWith({ limits: { maxTurns: 2 } }),
    steps: [
      [called([call('a')]), 'executingTools'],
      [aborted(), 'closingCalls'],
      [notRun('a'), 'stoppedAborted'],
      [withTurns(2), 'finalSummary'],
    ],
    context: { followsTools: true },
  },
  {
    rule: 'a paused turn goes back first, and words wait until it has ended',
    input: inputWith({ limits: { maxContinuations: 1 } }),
    steps: [
      [paused(), 'callingModel'],
      [paused(), 'stoppedModelFailed'],
      [words, 'callingModel'],
      [answered(), 'callingModel'],
      [answered(), 'stoppedEndTurn'],
    ],
    output: { turns: 2 },
  },
  {
    rule: 'a paused turn that was not to be continued at all is sent back once',
    input: inputWith({ limits: { maxContinuations: 0 } }),
    steps: [
      [paused(), 'stoppedModelFailed'],
      [resumedWith({ limits: limitsWith({ maxContinuations: 0 }) }), 'callingModel'],
      [paused(), 'stoppedModelFailed'],
    ],
  },
  {
    rule: 'what no request has carried is carried by the next one',
    steps: [
      [interjected(), 'callingModel'],
      [aborted(), 'stoppedAborted'],
      [resumed, 'callingModel'],
    ],
    context: { hasUnread: false },
  },
  {
    rule: 'a run that was stuck tries again when it is resumed',
    input: inputWith({ limits: { stuckAfter: 1 } }),
    steps: [
      ...toolTurn('finalSummary', 'failed'),
      [answered({ request: 'summary' }), 'stoppedStuck'],
      [resumedWith({ limits: limitsWith({ stuckAfter: 1 }) }), 'callingModel'],
    ],
    context: { failing: {} },
  },
  {
    rule: 'a streak of failures that was not yet too long goes on',
    steps: [...toolTurn('callingModel', 'failed'), [aborted(), 'stoppedAborted'], [resumed, 'callingModel']],
    context: { failing: { 'print of read_file': 1 } },
  },
  {
    rule: 'a message ends a streak of failures',
    steps: [...toolTurn('callingModel', 'failed'), [aborted(), 'stoppedAborted'], [words, 'callingModel']],
    context: { failing: {}, hasUnread: false },
  },
  {
    rule: 'a refusal counts as a turn, and a message leads on',
    steps: [
      [refused(), 'stoppedRefusal'],
      [words, 'callingModel'],
    ],
    context: { turn: 1, spent: FREE },
  },
];
