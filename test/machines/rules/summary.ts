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
  toolTurn,
  truncated,
  usd,
  type Rule,
  type Step,
} from '../support.ts';

const input = inputWith({ limits: { maxTurns: 2 } });
const atSummary = toolTurn('finalSummary');
const request = 'summary';
const cost = usd(3);

export const summaryRules: readonly Rule[] = [
  {
    rule: 'B04: a summary that calls tools closes them, and the reason stays',
    input,
    steps: [
      ...atSummary,
      [called([call('b'), asked('c')], { request, cost }), 'closingCalls'],
      [notRun('b'), 'closingCalls'],
      [notRun('c'), 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', turns: 2, summary: 'called_tools', spent: cost },
  },
  {
    rule: 'a summary that answers with calls in it closes them and counts as answered',
    input,
    steps: [
      ...atSummary,
      [answered({ request, cost, calls: [call('b')] }), 'closingCalls'],
      [notRun('b'), 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', summary: 'answered', spent: cost },
  },
  {
    rule: 'a truncated summary is asked again twice, then its calls are closed and its text is kept',
    input,
    steps: [
      ...atSummary,
      [truncated({ request, cost }), 'finalSummary'],
      [truncated({ request, cost }), 'finalSummary'],
      [truncated({ request, cost, calls: [call('b')] }), 'closingCalls'],
      [notRun('b'), 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', turns: 2, summary: 'truncated', spent: usd(9) },
  },
  {
    rule: 'a refused summary keeps the reason',
    input,
    steps: [...atSummary, [refused({ request, cost }), 'stoppedMaxTurns']],
    output: { reason: 'max_turns', turns: 2, summary: 'refused', spent: cost },
  },
  {
    rule: 'a summary that overflows the context window has failed, and keeps the reason',
    input,
    steps: [...atSummary, [overflowed({ request, cost }), 'stoppedMaxTurns']],
    output: { reason: 'max_turns', turns: 2, summary: 'failed', spent: cost },
  },
  {
    rule: 'a summary that fails is tried again as a summary',
    input,
    steps: [
      ...atSummary,
      [failed({ request, cost }), 'backingOff'],
      [retryDue, 'finalSummary'],
      [answered({ request, cost }), 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', turns: 2, summary: 'answered', spent: usd(6) },
  },
  {
    rule: 'a summary is tried again 4 times, and then it has failed',
    input: inputWith({ limits: { maxTurns: 2, maxRetries: 4 } }),
    steps: [
      ...atSummary,
      ...Array.from({ length: 4 }, (): readonly Step[] => [
        [failed({ request, cost }), 'backingOff'],
        [retryDue, 'finalSummary'],
      ]).flat(),
      [failed({ request, cost }), 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', turns: 1, summary: 'failed', spent: usd(15) },
  },
  {
    rule: 'a summary that fails for good keeps the reason',
    input,
    steps: [
      ...atSummary,
      [failed({ request, cost, isRetryable: false, reason: 'context_window' }), 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', turns: 1, summary: 'failed', spent: cost },
  },
  {
    rule: 'a paused summary is sent back 5 times, and then it has failed',
    input,
    steps: [
      ...atSummary,
      [paused({ request, cost }), 'finalSummary'],
      [paused({ request, cost }), 'finalSummary'],
      [paused({ request, cost }), 'finalSummary'],
      [paused({ request, cost }), 'finalSummary'],
      [paused({ request, cost }), 'finalSummary'],
      [paused({ request, cost }), 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', summary: 'failed', spent: usd(18) },
  },
  {
    rule: 'a summary that failed and cannot be paid again has failed, and was not skipped',
    input: inputWith({ limits: { maxTurns: 2, budget: { nanoUsd: 10, tokens: null } } }),
    steps: [
      ...atSummary,
      [failed({ request, cost: usd(6), summaryCost: usd(5) }), 'backingOff'],
      [retryDue, 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', spent: usd(6), summary: 'failed' },
  },
  {
    rule: 'an interjection before the summary joins it',
    input,
    steps: [[called(), 'executingTools'], [interjected(), 'executingTools'], ...atSummary.slice(1)],
    context: { hasUnread: false },
  },
  {
    rule: 'an interjection during the summary leads to no other turn',
    input,
    steps: [...atSummary, [interjected(), 'finalSummary'], [answered({ request, cost }), 'stoppedMaxTurns']],
    context: { hasUnread: true },
  },
  {
    rule: 'an abort during the summary stops the run as aborted',
    input,
    steps: [...atSummary, [aborted(), 'stoppedAborted']],
    output: { reason: 'aborted', turns: 1, summary: null },
  },
  {
    rule: 'a deadline during the summary stops the run as `deadline`',
    input,
    steps: [...atSummary, [aborted('deadline'), 'stoppedDeadline']],
  },
  {
    rule: 'an abort while a failed summary backs off stops the run',
    input,
    steps: [...atSummary, [failed({ request, cost }), 'backingOff'], [aborted(), 'stoppedAborted']],
  },
];
