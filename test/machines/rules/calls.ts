import {
  aborted,
  answered,
  approved,
  asked,
  call,
  called,
  denied,
  finished,
  inputWith,
  interjected,
  notRun,
  runs,
  started,
  toolTurn,
  type Rule,
} from '../support.ts';

const python = call('a', { name: 'run_python' });
const oneTurn = (id: string) => [called([call(id, { name: id })]), 'executingTools'] as const;

export const callRules: readonly Rule[] = [
  {
    rule: 'E14: a whole batch is decided before anything of it runs',
    steps: [
      [called([asked('a'), call('b'), asked('c')]), 'awaitingApproval'],
      [approved('a'), 'awaitingApproval'],
      [approved('c'), 'executingTools'],
      ...runs('a', 'executingTools'),
      ...runs('b', 'executingTools'),
      ...runs('c', 'callingModel'),
    ],
  },
  {
    rule: 'decisions come in any order',
    steps: [
      [called([asked('a'), asked('b')]), 'awaitingApproval'],
      [denied('b'), 'awaitingApproval'],
      [approved('a'), 'executingTools'],
    ],
  },
  {
    rule: 'E15: a batch without an asked call is not asked for',
    steps: [[called([call('a'), call('b', { verdict: 'deny' })]), 'executingTools']],
  },
  {
    rule: 'a denial is a tool result, not the end',
    steps: [
      [called([asked('a')]), 'awaitingApproval'],
      [denied('a'), 'executingTools'],
      [finished('a', 'denied'), 'callingModel'],
    ],
    context: { turn: 1, failing: { 'print of run_python': 1 } },
  },
  {
    rule: 'refused calls get their result without a start, in the order of the calls',
    steps: [
      [
        called([call('a', { verdict: 'deny' }), call('b'), call('c', { verdict: 'invalid' })]),
        'executingTools',
      ],
      [started('b'), 'executingTools'],
      [finished('a', 'denied'), 'executingTools'],
      [finished('b'), 'executingTools'],
      [finished('c', 'failed'), 'callingModel'],
    ],
  },
  {
    rule: 'a started call may fail, time out or be interrupted',
    steps: [
      [called([call('a'), call('b'), call('c')]), 'executingTools'],
      [started('a'), 'executingTools'],
      [started('b'), 'executingTools'],
      [started('c'), 'executingTools'],
      [finished('a', 'failed'), 'executingTools'],
      [finished('b', 'timed_out'), 'executingTools'],
      [finished('c', 'interrupted'), 'callingModel'],
    ],
  },
  {
    rule: 'an answer with calls ends the run once they are closed',
    steps: [
      [answered({ calls: [call('a'), asked('b')] }), 'closingCalls'],
      [notRun('a'), 'closingCalls'],
      [notRun('b'), 'stoppedEndTurn'],
    ],
    output: { reason: 'end_turn', turns: 1 },
  },
  {
    rule: 'an answer with calls and an unread interjection leads to another turn once they are closed',
    steps: [
      [interjected(), 'callingModel'],
      [answered({ calls: [call('a')] }), 'closingCalls'],
      [notRun('a'), 'callingModel'],
    ],
    context: { calls: [], followsTools: true, failing: { 'print of read_file': 1 } },
  },
  {
    rule: 'a call that ends badly in 3 turns in a row leads to the summary',
    steps: [
      ...toolTurn('callingModel', 'failed'),
      ...toolTurn('callingModel', 'timed_out'),
      ...toolTurn('finalSummary', 'interrupted'),
      [answered({ request: 'summary' }), 'stoppedStuck'],
    ],
    output: { reason: 'stuck', turns: 4, summary: 'answered' },
  },
  {
    rule: 'B15: an unknown call counts towards stuck like one that ran',
    steps: [
      [called([call('a', { verdict: 'invalid' })]), 'executingTools'],
      [finished('a', 'failed'), 'callingModel'],
      [called([call('a', { verdict: 'invalid' })]), 'executingTools'],
      [finished('a', 'failed'), 'callingModel'],
      [called([call('a', { verdict: 'invalid' })]), 'executingTools'],
      [finished('a', 'failed'), 'finalSummary'],
    ],
  },
  {
    rule: 'the same call twice in one turn counts once',
    steps: [
      [called([call('a'), call('b')]), 'executingTools'],
      ...runs('a', 'executingTools', 'failed'),
      ...runs('b', 'callingModel', 'failed'),
    ],
    context: { failing: { 'print of read_file': 1 } },
  },
  {
    rule: 'a success of another call starts the count again',
    steps: [
      ...toolTurn('callingModel', 'failed'),
      ...toolTurn('callingModel', 'failed'),
      [called([python]), 'executingTools'],
      ...runs('a', 'callingModel'),
      ...toolTurn('callingModel', 'failed'),
    ],
    context: { failing: { 'print of read_file': 1 } },
  },
  {
    rule: 'three different calls that fail are not stuck',
    steps: [
      oneTurn('a'),
      ...runs('a', 'callingModel', 'failed'),
      oneTurn('b'),
      ...runs('b', 'callingModel', 'failed'),
      oneTurn('c'),
      ...runs('c', 'callingModel', 'failed'),
    ],
  },
  {
    rule: 'a resumed run is as stuck as it was',
    input: inputWith({
      carried: {
        turn: 2,
        spent: { nanoUsd: 0, tokens: 0 },
        failing: { 'print of read_file': 2 },
        followsTools: true,
      },
    }),
    steps: [...toolTurn('finalSummary', 'failed')],
    context: { cause: 'stuck' },
  },
  {
    rule: 'an abort while tools run closes what is open, and nothing can interrupt that',
    steps: [
      [called([call('a'), call('b'), call('c')]), 'executingTools'],
      ...runs('a', 'executingTools'),
      [started('b'), 'executingTools'],
      [aborted('user'), 'closingCalls'],
      [finished('b', 'interrupted'), 'closingCalls'],
      [interjected(), 'closingCalls'],
      [notRun('c'), 'stoppedAborted'],
    ],
    output: { reason: 'aborted', turns: 1, summary: null },
  },
  {
    rule: 'a deadline while a person is asked closes the calls',
    steps: [
      [called([asked('a'), asked('b')]), 'awaitingApproval'],
      [approved('a'), 'awaitingApproval'],
      [aborted('deadline'), 'closingCalls'],
      [notRun('a'), 'closingCalls'],
      [notRun('b'), 'stoppedDeadline'],
    ],
    output: { reason: 'deadline', summary: null },
  },
];
