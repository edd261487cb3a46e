import type { LoopEvent, LoopInput } from '../../machines/index.ts';
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
  inputWith,
  interjected,
  kept,
  notRun,
  raised,
  retryDue,
  started,
  toolTurn,
  type State,
} from './support.ts';

/** A fact that the machine must not take after `facts`, in `state`. */
export interface Refusal {
  /** Completes the sentence "refuses …". */
  readonly rule: string;
  readonly input?: LoopInput;
  readonly facts: readonly LoopEvent[];
  readonly state: State;
  readonly refused: LoopEvent;
}

const twoTurns = { limits: { maxTurns: 2 } } as const;
const askInput = inputWith({ ...twoTurns, onLimit: 'ask' });
const oneTurnDone = toolTurn('callingModel').map(([fact]) => fact);

const asking: Omit<Refusal, 'rule' | 'refused'> = {
  facts: [called([asked('a'), call('b')])],
  state: 'awaitingApproval',
};
const running = (...facts: readonly LoopEvent[]): Omit<Refusal, 'rule' | 'refused'> => ({
  facts: [called([call('a'), call('b')]), ...facts],
  state: 'executingTools',
});
const closing = (...facts: readonly LoopEvent[]): Omit<Refusal, 'rule' | 'refused'> => ({
  ...running(...facts, aborted()),
  state: 'closingCalls',
});

export const refusals: readonly Refusal[] = [
  { rule: 'a decision where none is asked for', facts: [], state: 'callingModel', refused: approved('a') },
  { rule: 'a start while the model works', facts: [], state: 'callingModel', refused: started('a') },
  { rule: 'a result while the model works', facts: [], state: 'callingModel', refused: finished('a') },
  { rule: 'a retry that nobody waits for', facts: [], state: 'callingModel', refused: retryDue },
  { rule: 'more turns that nobody asked for', facts: [], state: 'callingModel', refused: raised(1) },
  {
    rule: 'calls of which two have one id',
    facts: [],
    state: 'callingModel',
    refused: called([call('a'), call('a')]),
  },
  { rule: 'calls of which there are none', facts: [], state: 'callingModel', refused: called([]) },
  { rule: 'an answer while backing off', facts: [failed()], state: 'backingOff', refused: answered() },

  { ...asking, rule: 'a start before the decision', refused: started('a') },
  { ...asking, rule: 'a start of an allowed call before the batch is decided', refused: started('b') },
  { ...asking, rule: 'a result before the decision', refused: finished('a', 'denied') },
  { ...asking, rule: 'an approval of another input', refused: approved('a', 'another input') },
  { ...asking, rule: 'a decision for a call that is not asked for', refused: approved('b') },
  { ...asking, rule: 'a decision for a call that does not exist', refused: approved('z') },
  { ...asking, rule: 'an answer while a person is asked', refused: answered() },
  {
    rule: 'a second decision for a call',
    facts: [called([asked('a'), asked('b')]), approved('a')],
    state: 'awaitingApproval',
    refused: denied('a'),
  },
  {
    rule: 'a decision after the batch was decided',
    facts: [called([asked('a')]), denied('a')],
    state: 'executingTools',
    refused: approved('a'),
  },

  { ...running(), rule: 'a success without a start', refused: finished('a') },
  { ...running(), rule: 'a failure without a start', refused: finished('a', 'failed') },
  { ...running(), rule: 'a timeout without a start', refused: finished('a', 'timed_out') },
  { ...running(), rule: 'an allowed call as denied', refused: finished('a', 'denied') },
  { ...running(), rule: 'an allowed call as not run, while tools run', refused: notRun('a') },
  { ...running(), rule: 'a start of a call that does not exist', refused: started('z') },
  { ...running(started('a')), rule: 'a second start', refused: started('a') },
  { ...running(started('a')), rule: 'a started call as denied', refused: finished('a', 'denied') },
  { ...running(started('a')), rule: 'a started call as not run', refused: notRun('a') },
  {
    ...running(started('a'), started('b')),
    rule: 'results out of the order of the calls',
    refused: finished('b'),
  },
  { ...running(started('a'), finished('a')), rule: 'a second result', refused: finished('a') },
  { ...running(started('a'), finished('a')), rule: 'a start after the result', refused: started('a') },
  { ...running(), rule: 'an answer while tools run', refused: answered() },
  {
    rule: 'a start of a denied call',
    facts: [called([asked('a')]), denied('a')],
    state: 'executingTools',
    refused: started('a'),
  },
  {
    rule: 'a success of a denied call',
    facts: [called([asked('a')]), denied('a')],
    state: 'executingTools',
    refused: finished('a'),
  },
  ...(['deny', 'invalid'] as const).map((verdict): Refusal => ({
    rule: `a start of a call with verdict ${verdict}`,
    facts: [called([call('a', { verdict })])],
    state: 'executingTools',
    refused: started('a'),
  })),
  {
    rule: 'a call of an earlier turn',
    facts: [...oneTurnDone, called([call('b')])],
    state: 'executingTools',
    refused: started('a'),
  },

  { ...closing(), rule: 'an abort while calls are closed', refused: aborted('deadline') },
  { ...closing(), rule: 'a start while calls are closed', refused: started('a') },
  { ...closing(), rule: 'a success of a call that is closed', refused: finished('a') },
  {
    ...closing(),
    rule: 'an interruption of a call that has not started',
    refused: finished('a', 'interrupted'),
  },
  { ...closing(), rule: 'closing out of the order of the calls', refused: notRun('b') },
  {
    ...closing(started('a')),
    rule: 'a started call as not run, while calls are closed',
    refused: notRun('a'),
  },
  {
    ...closing(started('a'), finished('a')),
    rule: 'a closing of a call that has its result',
    refused: notRun('a'),
  },

  ...[0, -1, 1.5, Number.NaN, Infinity, 2 ** 53].map((turns): Refusal => ({
    rule: `B07: ${turns} more turns`,
    input: askInput,
    facts: oneTurnDone,
    state: 'askingToContinue',
    refused: raised(turns),
  })),
  {
    rule: 'a limit that is kept twice',
    input: askInput,
    facts: [...oneTurnDone, kept],
    state: 'finalSummary',
    refused: kept,
  },
  {
    rule: 'a start in the summary',
    input: inputWith(twoTurns),
    facts: oneTurnDone,
    state: 'finalSummary',
    refused: started('a'),
  },
  ...[answered(), interjected(), aborted(), retryDue].map((refused): Refusal => ({
    rule: `${refused.type} after the end`,
    facts: [answered()],
    state: 'stoppedEndTurn',
    refused,
  })),
];
