import {
  aborted,
  answered,
  asked,
  call,
  called,
  failed,
  inputWith,
  interjected,
  notRun,
  overflowed,
  paused,
  refused,
  retryDue,
  runs,
  toolTurn,
  truncated,
  usd,
  type Rule,
} from '../support.ts';

const cost = usd(3);

export const requestRules: readonly Rule[] = [
  {
    rule: 'a failure is tried again 4 times, each attempt is paid for, and then the model has failed',
    steps: [
      [failed({ cost }), 'backingOff'],
      [retryDue, 'callingModel'],
      [failed({ cost }), 'backingOff'],
      [retryDue, 'callingModel'],
      [failed({ cost }), 'backingOff'],
      [retryDue, 'callingModel'],
      [failed({ cost }), 'backingOff'],
      [retryDue, 'callingModel'],
      [failed({ cost }), 'stoppedModelFailed'],
    ],
    output: { reason: 'model_failed', turns: 0, spent: usd(15) },
  },
  {
    rule: 'a failure that is not retryable stops the run',
    steps: [[failed({ isRetryable: false }), 'stoppedModelFailed']],
  },
  {
    rule: 'B26: a prompt that is too long is not sent again, and is `context_window`',
    steps: [[failed({ isRetryable: false, reason: 'context_window', cost }), 'stoppedContextWindow']],
    output: { reason: 'context_window', turns: 0, spent: cost },
  },
  {
    rule: 'the next turn has all its retries',
    input: inputWith({ limits: { maxRetries: 1 } }),
    steps: [
      [failed(), 'backingOff'],
      [retryDue, 'callingModel'],
      ...toolTurn('callingModel'),
      [failed(), 'backingOff'],
      [retryDue, 'callingModel'],
      [failed(), 'stoppedModelFailed'],
    ],
  },
  {
    rule: 'a model that fills the context window stops the run',
    steps: [[overflowed({ cost }), 'stoppedContextWindow']],
    output: { reason: 'context_window', turns: 1, spent: cost },
  },
  {
    rule: 'a refusal stops the run',
    steps: [[refused({ cost }), 'stoppedRefusal']],
    output: { reason: 'refusal', turns: 1, spent: cost },
  },
  {
    rule: 'a truncated response is asked again twice, and then kept',
    steps: [
      [truncated({ cost }), 'callingModel'],
      [truncated({ cost }), 'callingModel'],
      [truncated({ cost }), 'stoppedMaxTokens'],
    ],
    output: { reason: 'max_tokens', turns: 1, spent: usd(9), summary: null },
  },
  {
    rule: 'a truncated response that cannot grow is kept',
    steps: [[truncated({ canGrow: false }), 'stoppedMaxTokens']],
  },
  {
    rule: 'B23: the calls of a truncated response are closed, never run',
    steps: [
      [truncated({ canGrow: false, calls: [call('a'), asked('b')] }), 'closingCalls'],
      [notRun('a'), 'closingCalls'],
      [notRun('b'), 'stoppedMaxTokens'],
    ],
    output: { reason: 'max_tokens', summary: null },
  },
  {
    rule: 'the calls of a truncated response that is asked again are no calls',
    steps: [
      [truncated({ calls: [call('a')] }), 'callingModel'],
      [aborted(), 'stoppedAborted'],
    ],
  },
  {
    rule: 'a paused turn is sent back 5 times as the same turn, and then the model has failed',
    steps: [
      [paused({ cost }), 'callingModel'],
      [paused({ cost }), 'callingModel'],
      [paused({ cost }), 'callingModel'],
      [paused({ cost }), 'callingModel'],
      [paused({ cost }), 'callingModel'],
      [paused({ cost }), 'stoppedModelFailed'],
    ],
    output: { reason: 'model_failed', turns: 0, spent: usd(18) },
  },
  {
    rule: 'a paused turn goes on to its answer as one turn',
    input: inputWith({ limits: { maxTurns: 1 } }),
    steps: [
      [paused(), 'callingModel'],
      [answered(), 'stoppedEndTurn'],
    ],
    output: { reason: 'end_turn', turns: 1 },
  },
  {
    rule: 'an interjection while the model works leads to another turn after the answer',
    steps: [
      [interjected(), 'callingModel'],
      [answered(), 'callingModel'],
      [answered(), 'stoppedEndTurn'],
    ],
    output: { turns: 2 },
  },
  {
    rule: 'an interjection while tools run joins the next request',
    steps: [
      [called(), 'executingTools'],
      [interjected(), 'executingTools'],
      ...runs('a', 'callingModel'),
      [answered(), 'stoppedEndTurn'],
    ],
    output: { turns: 2 },
  },
  {
    rule: 'an interjection while backing off joins the retry',
    steps: [
      [failed(), 'backingOff'],
      [interjected(), 'backingOff'],
      [retryDue, 'callingModel'],
      [answered(), 'stoppedEndTurn'],
    ],
  },
  {
    rule: 'an interjection without a turn left stays unread',
    input: inputWith({ limits: { maxTurns: 1 } }),
    steps: [
      [interjected(), 'callingModel'],
      [answered(), 'stoppedEndTurn'],
    ],
    context: { hasUnread: true },
  },
  {
    rule: 'an interjection while a turn is paused waits until it has resolved',
    steps: [
      [paused(), 'callingModel'],
      [interjected(), 'callingModel'],
      [paused(), 'callingModel'],
      [answered(), 'callingModel'],
    ],
    context: { hasUnread: false, turn: 1 },
  },
  {
    rule: 'an interjection costs: it counts in the bound of the next request',
    input: inputWith({ limits: { budget: { nanoUsd: 10, tokens: null } }, nextCost: usd(4) }),
    steps: [
      [called([call('a')], { nextCost: usd(4) }), 'executingTools'],
      [interjected(usd(4)), 'executingTools'],
      ...runs('a', 'finalSummary'),
    ],
    context: { nextCost: usd(12), summaryCost: usd(4), cause: 'budget' },
  },
  ...(['signal', 'user'] as const).map((cause): Rule => ({
    rule: `an abort by ${cause} while the model works stops the run and is paid for`,
    steps: [[aborted(cause, cost), 'stoppedAborted']],
    output: { reason: 'aborted', turns: 0, spent: cost, summary: null },
  })),
  {
    rule: 'a deadline while the model works stops the run and is paid for',
    steps: [[aborted('deadline', cost), 'stoppedDeadline']],
    output: { reason: 'deadline', turns: 0, spent: cost, summary: null },
  },
  {
    rule: 'an abort while backing off stops the run',
    steps: [
      [failed(), 'backingOff'],
      [aborted(), 'stoppedAborted'],
    ],
  },
  {
    rule: 'an abort while a person is asked for turns stops the run',
    input: inputWith({ limits: { maxTurns: 2 }, onLimit: 'ask' }),
    steps: [...toolTurn('askingToContinue'), [aborted('user'), 'stoppedAborted']],
  },
];
