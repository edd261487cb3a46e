import {
  answered,
  asked,
  call,
  called,
  inputWith,
  interjected,
  kept,
  notRun,
  raised,
  runs,
  toolTurn,
  type Rule,
} from '../support.ts';

const summarise = (maxTurns: number) => inputWith({ limits: { maxTurns } });
const stop = (maxTurns: number) => inputWith({ limits: { maxTurns }, onLimit: 'stop' });
const ask = (maxTurns: number) => inputWith({ limits: { maxTurns }, onLimit: 'ask' });

const SPENT = { nanoUsd: 5, tokens: 7 };
const carried = { turn: 1, spent: SPENT, failing: {}, followsTools: false };

export const turnRules: readonly Rule[] = [
  {
    rule: 'an answer ends the run',
    steps: [[answered(), 'stoppedEndTurn']],
    output: { reason: 'end_turn', turns: 1, summary: null },
  },
  {
    rule: 'a call runs, and the next turn is asked',
    steps: [...toolTurn('callingModel'), [answered(), 'stoppedEndTurn']],
    output: { reason: 'end_turn', turns: 2 },
  },
  {
    rule: 'the calls of one turn run together and lead to one next turn',
    steps: [
      [called([call('a'), call('b')]), 'executingTools'],
      ...runs('a', 'executingTools'),
      ...runs('b', 'callingModel'),
    ],
    context: { turn: 1, calls: [], followsTools: true },
  },
  {
    rule: 'B02: summarise: with 3 turns, 2 call tools and the third is the summary',
    input: summarise(3),
    steps: [
      ...toolTurn('callingModel'),
      ...toolTurn('finalSummary'),
      [answered({ request: 'summary' }), 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', turns: 3, summary: 'answered' },
  },
  {
    rule: 'stop: with 2 turns, the second is an ordinary one, and its calls are closed',
    input: stop(2),
    steps: [
      ...toolTurn('callingModel'),
      [called([call('b')]), 'closingCalls'],
      [notRun('b'), 'stoppedMaxTurns'],
    ],
    context: { cause: 'max_turns' },
    output: { reason: 'max_turns', turns: 2, summary: 'skipped' },
  },
  {
    rule: 'stop: an answer in the last turn is an answer',
    input: stop(2),
    steps: [...toolTurn('callingModel'), [answered(), 'stoppedEndTurn']],
    output: { reason: 'end_turn', turns: 2 },
  },
  {
    rule: 'ask: before the last turn a person is asked, and raising the limit leads to an ordinary turn',
    input: ask(2),
    steps: [...toolTurn('askingToContinue'), [raised(1), 'callingModel'], [answered(), 'stoppedEndTurn']],
    output: { reason: 'end_turn', turns: 2 },
  },
  {
    rule: 'ask: the limit is raised as often as it is reached',
    input: ask(2),
    steps: [
      ...toolTurn('askingToContinue'),
      [raised(1), 'callingModel'],
      ...toolTurn('askingToContinue'),
      [raised(2), 'callingModel'],
      ...toolTurn('callingModel'),
      ...toolTurn('askingToContinue'),
    ],
    context: { turn: 4 },
  },
  {
    rule: 'ask: a limit that is kept leads to the summary',
    input: ask(2),
    steps: [
      ...toolTurn('askingToContinue'),
      [kept, 'finalSummary'],
      [answered({ request: 'summary' }), 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', turns: 2, summary: 'answered' },
  },
  {
    rule: 'B08: with 1 turn an answer ends the run as end_turn',
    input: summarise(1),
    steps: [[answered(), 'stoppedEndTurn']],
    output: { reason: 'end_turn', turns: 1, summary: null },
  },
  {
    rule: 'B08: with 1 turn, calls made all the same are closed and the turn limit is the reason',
    input: summarise(1),
    steps: [
      [called([call('a'), asked('b')]), 'closingCalls'],
      [notRun('a'), 'closingCalls'],
      [notRun('b'), 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', turns: 1, summary: 'skipped' },
  },
  {
    rule: 'ask: with 1 turn nobody is asked',
    input: ask(1),
    steps: [[answered(), 'stoppedEndTurn']],
  },
  {
    rule: 'B06: a resumed run counts the turns of its earlier segments',
    input: { ...summarise(3), carried },
    steps: [...toolTurn('finalSummary')],
    context: { turn: 2, spent: SPENT, cause: 'max_turns' },
  },
  {
    rule: 'a resumed run with tool results that no turn has seen starts its last turn as the summary',
    input: { ...summarise(2), carried: { ...carried, followsTools: true } },
    start: 'finalSummary',
    steps: [[answered({ request: 'summary' }), 'stoppedMaxTurns']],
    output: { turns: 2, spent: SPENT, summary: 'answered' },
  },
  {
    rule: 'a resumed run without a turn left stops at once',
    input: { ...summarise(1), carried },
    start: 'stoppedMaxTurns',
    steps: [],
    output: { reason: 'max_turns', turns: 1, spent: SPENT, summary: 'skipped' },
  },
  {
    rule: 'the last turn after an interjection is an ordinary one, because it carries no tool results',
    input: summarise(2),
    steps: [
      [interjected(), 'callingModel'],
      [answered(), 'callingModel'],
      [called([call('a')]), 'closingCalls'],
      [notRun('a'), 'stoppedMaxTurns'],
    ],
    output: { reason: 'max_turns', turns: 2, summary: 'skipped' },
  },
];
