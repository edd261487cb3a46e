/**
 * Where a run may rest: one row for each effect and each stop reason, written by hand from the rules. The machine is
 * held against it at every step of every path. Exactly one row holds at any time.
 */
import type { Effect, LoopEvent, StopReason } from '../../machines/index.ts';
import { effectOf } from '../effects/effect-of.ts';
import { isOpen as isOpenCall } from './calls.ts';
import type { Snapshot } from './graph.ts';
import { isOpen, isUndecided, wantsSummary, type Ledger } from './ledger.ts';

export type Place = Effect | StopReason;

interface Row {
  /** The rule, as a sentence. */
  readonly rule: string;
  /** Whether the model may call tools, where it is asked for something. */
  readonly tools?: (ledger: Ledger) => 'on' | 'off';
  readonly holds: (ledger: Ledger) => boolean;
}

const failedOn = (type: LoopEvent['type'], { response, due, cause }: Ledger): boolean =>
  due === 'stop' && cause === null && response?.type === type && response.request === 'turn';

const isContextWindow = ({ response }: Ledger): boolean =>
  response?.type === 'model.failed' && response.reason === 'context_window';

export const CONTRACT: Readonly<Record<Place, Row>> = {
  callModel: {
    rule: 'A turn is asked for when no cause to stop is known, a turn is left, and every call has its result.',
    // Calls of the last turn could not be answered.
    tools: ({ turns, maxTurns, onLimit }) => (turns + 1 < maxTurns || onLimit === 'stop' ? 'on' : 'off'),
    holds: ({ due, cause, turns, maxTurns, calls }) =>
      due === 'turn' && cause === null && turns < maxTurns && !calls.some(isOpen),
  },
  backOff: {
    rule: 'Only a failure that passes is waited for, as often as the limit says.',
    holds: ({ due }) => due === 'wait',
  },
  askApproval: {
    rule: 'While one asked call is undecided nothing of its batch runs.',
    holds: ({ due, calls }) => due === 'work' && calls.some(isUndecided),
  },
  executeTools: {
    rule: 'Calls run when all are decided, and their results can still be sent to the model.',
    holds: ({ due, calls }) => due === 'work' && !calls.some(isUndecided),
  },
  closeCalls: {
    rule: 'Calls that will not run get a result all the same.',
    holds: ({ due, calls }) => due === 'close' && calls.some(isOpen),
  },
  askToContinue: {
    rule: 'At the turn limit, with no other cause to stop, a person is asked for more turns.',
    holds: ({ due, cause, turns, maxTurns, onLimit }) =>
      due === 'offer' && cause === null && turns + 1 === maxTurns && onLimit === 'ask',
  },
  askForSummary: {
    rule: 'A summary is asked for after budget, stuck or turn limit, if a turn and money are left for it.',
    tools: () => 'off',
    holds: (ledger) => {
      const { due, turns, maxTurns, calls } = ledger;
      return due === 'summary' && wantsSummary(ledger) && turns < maxTurns && !calls.some(isOpen);
    },
  },
  end_turn: {
    rule: 'The model has answered a turn, and nothing that the user said waits for a turn that is left.',
    holds: (ledger) => failedOn('model.answered', ledger),
  },
  refusal: {
    rule: 'The model has refused.',
    holds: (ledger) => failedOn('model.refused', ledger),
  },
  context_window: {
    rule: 'Prompt and response did not fit the context window.',
    holds: (ledger) =>
      failedOn('model.overflowed', ledger) || (failedOn('model.failed', ledger) && isContextWindow(ledger)),
  },
  model_failed: {
    rule: 'A failure that lasts, or too many retries or continuations.',
    holds: (ledger) =>
      failedOn('model.paused', ledger) || (failedOn('model.failed', ledger) && !isContextWindow(ledger)),
  },
  max_tokens: {
    rule: 'A truncated response was kept, and its calls are closed.',
    holds: ({ due, cause }) => due === 'stop' && cause === 'max_tokens',
  },
  aborted: {
    rule: 'Somebody stopped the run, and its calls are closed.',
    holds: ({ due, cause }) => due === 'stop' && cause === 'aborted',
  },
  deadline: {
    rule: 'The time was up, and the calls are closed.',
    holds: ({ due, cause }) => due === 'stop' && cause === 'deadline',
  },
  budget: {
    rule: 'The next turn could have cost more than is left.',
    holds: ({ due, cause }) => due === 'stop' && cause === 'budget',
  },
  stuck: {
    rule: 'The same call ended badly again and again, and nothing else succeeded.',
    holds: ({ due, cause }) => due === 'stop' && cause === 'stuck',
  },
  max_turns: {
    rule: 'Every turn has been asked.',
    holds: ({ due, cause }) => due === 'stop' && cause === 'max_turns',
  },
};

/** Where the rules say that the run is. */
const placesOf = (ledger: Ledger): readonly Place[] =>
  PLACES.filter((place) => CONTRACT[place].holds(ledger));

// The keys of a record whose type names them all.
const PLACES = Object.keys(CONTRACT) as readonly Place[];

/** Whether the request that is out may lead to calls; null where none is out. */
export const toolsAt = (ledger: Ledger): 'on' | 'off' | null => {
  const [place] = placesOf(ledger);
  return place === undefined ? null : (CONTRACT[place].tools?.(ledger) ?? null);
};

/** @returns one sentence for each rule that the machine's state breaks, given what has happened */
export function breaches(ledger: Ledger, snapshot: Snapshot): readonly string[] {
  const place = placeOf(snapshot);
  const places = placesOf(ledger);
  const expected = places[0];
  if (expected === undefined || places.length > 1) {
    return [`The rules do not say where the run is: ${JSON.stringify(places)}.`];
  }
  if (place !== expected) {
    return [`The run is at ${place}, but belongs at ${expected}: ${CONTRACT[expected].rule}`];
  }
  return [...counterBreaches(ledger, snapshot), ...outputBreaches(ledger, snapshot)];
}

/**
 * Whether the fact leaves the run where it is, its effect going on: then what is under way must not begin again.
 * @param before the ledger before the fact
 */
export function stays(before: Ledger, fact: LoopEvent, after: Ledger): boolean {
  if (fact.type === 'user.interjected' || fact.type === 'tool.started') return true;
  if (fact.type === 'run.resumed') return before.due === 'wait' || before.due === 'close';
  if (fact.type === 'approval.decided') return after.calls.some(isUndecided);
  return fact.type === 'tool.finished' && before.due === 'work' && after.calls.some(isOpen);
}

const placeOf = (snapshot: Snapshot): Place =>
  snapshot.output === undefined ? effectOf(snapshot) : snapshot.output.reason;

/** What the machine counts is what has happened. */
function counterBreaches(ledger: Ledger, { context }: Snapshot): readonly string[] {
  const rows: readonly (readonly [string, unknown, unknown])[] = [
    ['turns', context.turn, ledger.turns],
    ['turns at most', context.limits.maxTurns, ledger.maxTurns],
    ['retries', context.retries, ledger.retries],
    ['growths', context.growths, ledger.growths],
    ['continuations', context.continuations, ledger.continuations],
    ['tokens spent', context.spent.tokens, ledger.spent],
    ['unread words', context.hasUnread, ledger.hasUnread],
    ['cause', context.cause, ledger.cause],
    ['calls without a result', context.calls.filter(isOpenCall).length, ledger.calls.filter(isOpen).length],
  ];
  return rows
    .filter(([, counted, real]) => counted !== real)
    .map(
      ([what, counted, real]) => `The machine has ${what}: ${String(counted)}, where it is ${String(real)}.`,
    );
}

function outputBreaches(ledger: Ledger, { output }: Snapshot): readonly string[] {
  if (output === undefined) return [];
  const { summary, turns, spent } = ledger;
  const expected = wantsSummary(ledger) ? (summary ?? 'skipped') : summary;
  return [
    ...(output.turns === turns ? [] : [`The output says ${output.turns} turns, there were ${turns}.`]),
    ...(output.spent.tokens === spent
      ? []
      : [`The output says ${output.spent.tokens} tokens, ${spent} were billed.`]),
    ...(output.summary === expected
      ? []
      : [`The output says that the summary was ${output.summary}, it was ${expected}.`]),
  ];
}
