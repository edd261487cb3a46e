import {
  asked,
  approved,
  aborted,
  answered,
  call,
  called,
  failed,
  finished,
  FREE,
  inputWith,
  interjected,
  notRun,
  paused,
  raised,
  retryDue,
  runs,
  started,
  tokens,
  toolTurn,
  truncated,
  usd,
  type Rule,
} from '../support.ts';

const budget = inputWith({ limits: { budget: { nanoUsd: 100, tokens: null } } });
const short = inputWith({ limits: { budget: { nanoUsd: 100, tokens: null }, maxTurns: 3 } });

/** The next ordinary request does not fit, a summary does. */
const onlySummary = { cost: usd(60), nextCost: usd(41), summaryCost: usd(40) };
/** Neither fits. */
const nothing = { cost: usd(60), nextCost: usd(41), summaryCost: usd(41) };

export const budgetRules: readonly Rule[] = [
  {
    rule: 'a request that would reach the budget exactly is asked',
    input: budget,
    steps: [
      [called([call('a')], { cost: usd(60), nextCost: usd(40) }), 'executingTools'],
      ...runs('a', 'callingModel'),
    ],
  },
  {
    rule: 'the budget is checked before tools run: calls are closed and the summary is asked',
    input: budget,
    steps: [
      [called([call('a')], onlySummary), 'closingCalls'],
      [notRun('a'), 'finalSummary'],
      [answered({ request: 'summary', cost: usd(40) }), 'stoppedBudget'],
    ],
    output: { reason: 'budget', turns: 2, spent: usd(100), summary: 'answered' },
  },
  {
    rule: 'a summary that the budget does not reach is skipped',
    input: budget,
    steps: [
      [called([call('a')], nothing), 'closingCalls'],
      [notRun('a'), 'stoppedBudget'],
    ],
    output: { reason: 'budget', turns: 1, spent: usd(60), summary: 'skipped' },
  },
  {
    rule: 'the budget is checked before a request: a long tool result leads to the summary',
    input: budget,
    steps: [
      [called([call('a')], { cost: usd(60), nextCost: usd(30), summaryCost: usd(30) }), 'executingTools'],
      [started('a'), 'executingTools'],
      [finished('a', 'succeeded', usd(6)), 'finalSummary'],
    ],
    context: { nextCost: usd(42), summaryCost: usd(36), cause: 'budget' },
  },
  {
    rule: 'a budget of tokens is a ceiling too',
    input: inputWith({ limits: { budget: { nanoUsd: null, tokens: 100 } } }),
    steps: [
      [called([call('a')], { cost: FREE, nextCost: tokens(100), summaryCost: FREE }), 'executingTools'],
      ...runs('a', 'callingModel'),
      [called([call('a')], { cost: tokens(60), nextCost: tokens(41), summaryCost: FREE }), 'closingCalls'],
      [notRun('a'), 'finalSummary'],
    ],
  },
  {
    rule: 'a first request that does not fit leads to the summary at once',
    input: { ...budget, nextCost: usd(101), summaryCost: usd(100) },
    start: 'finalSummary',
    steps: [[answered({ request: 'summary' }), 'stoppedBudget']],
  },
  {
    rule: 'a first request of which not even the summary fits stops the run before anything is asked',
    input: { ...budget, nextCost: usd(101), summaryCost: usd(101) },
    start: 'stoppedBudget',
    steps: [],
    output: { turns: 0, spent: FREE, summary: 'skipped' },
  },
  {
    rule: 'the budget is checked before a retry',
    input: budget,
    steps: [
      [failed(onlySummary), 'backingOff'],
      [retryDue, 'finalSummary'],
    ],
    context: { spent: usd(60), cause: 'budget' },
  },
  {
    rule: 'the budget is checked before a truncated response is asked again',
    input: budget,
    steps: [[truncated(onlySummary), 'finalSummary']],
    context: { turn: 0, cause: 'budget' },
  },
  {
    rule: 'the budget is checked before a paused turn is sent back',
    input: budget,
    steps: [[paused(onlySummary), 'finalSummary']],
    context: { turn: 0, cause: 'budget' },
  },
  {
    rule: 'the budget is checked after the limit was raised',
    input: { ...short, onLimit: 'ask', limits: { ...short.limits, maxTurns: 2 } },
    steps: [
      ...toolTurn('askingToContinue'),
      [interjected(usd(51)), 'askingToContinue'],
      [raised(1), 'finalSummary'],
    ],
    context: { cause: 'budget' },
  },
  {
    rule: 'the budget is checked before an interjection is heard',
    input: budget,
    steps: [
      [interjected(), 'callingModel'],
      [answered(nothing), 'stoppedBudget'],
    ],
  },
  {
    rule: 'what is said while a person decides may leave no budget for the approved call',
    input: budget,
    steps: [
      [called([asked('a')], { cost: usd(60), nextCost: usd(40), summaryCost: usd(20) }), 'awaitingApproval'],
      [interjected(usd(1)), 'awaitingApproval'],
      [approved('a'), 'closingCalls'],
      [notRun('a'), 'finalSummary'],
    ],
    context: { cause: 'budget' },
  },
  {
    rule: 'an answer ends the run even when nothing is left',
    input: budget,
    steps: [[answered({ cost: usd(100), nextCost: usd(50), summaryCost: usd(50) }), 'stoppedEndTurn']],
    output: { reason: 'end_turn', spent: usd(100) },
  },
  {
    rule: 'budget comes before stuck: the third failure of a call, with nothing left, is `budget`',
    input: budget,
    steps: [
      ...toolTurn('callingModel', 'failed'),
      ...toolTurn('callingModel', 'failed'),
      [called([call('a')], { cost: usd(60), nextCost: usd(30), summaryCost: usd(30) }), 'executingTools'],
      [started('a'), 'executingTools'],
      [finished('a', 'failed', usd(6)), 'finalSummary'],
      [answered({ request: 'summary' }), 'stoppedBudget'],
    ],
  },
  {
    rule: 'stuck comes before the turn limit',
    input: inputWith({ limits: { maxTurns: 4 } }),
    steps: [
      ...toolTurn('callingModel', 'failed'),
      ...toolTurn('callingModel', 'failed'),
      ...toolTurn('finalSummary', 'failed'),
      [answered({ request: 'summary' }), 'stoppedStuck'],
    ],
  },
  {
    rule: 'budget comes before the turn limit: calls of the last turn are closed as over budget',
    input: { ...short, onLimit: 'stop' },
    steps: [
      ...toolTurn('callingModel'),
      ...toolTurn('callingModel'),
      [called([call('a')], onlySummary), 'closingCalls'],
      [notRun('a'), 'stoppedBudget'],
    ],
    output: { reason: 'budget', summary: 'skipped' },
  },
  {
    rule: 'the first cause is kept: a summary at the turn limit that cannot be paid again is `max_turns`',
    input: short,
    steps: [
      ...toolTurn('callingModel'),
      ...toolTurn('finalSummary'),
      [failed({ ...nothing, request: 'summary' }), 'backingOff'],
      [retryDue, 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', turns: 2 },
  },
  {
    rule: 'an abort comes before the budget',
    input: budget,
    steps: [
      [called([call('a')], onlySummary), 'closingCalls'],
      [notRun('a'), 'finalSummary'],
      [aborted('user', usd(3)), 'stoppedAborted'],
    ],
    output: { reason: 'aborted', spent: usd(63), summary: null },
  },
];
