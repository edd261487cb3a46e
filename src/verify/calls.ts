/** Invariant 3: a call starts at most once, what starts ends, and every call has one result. */
import { callsIn, factsOf, type ParsedJournal, type Placed } from './lines.ts';
import type { FactOf } from './schemas.ts';
import { sayer, shown, type Violation } from './violation.ts';

const say = sayer(3);

export function callViolations({ facts, ends }: ParsedJournal): readonly Violation[] {
  const calls = facts.flatMap(callsIn);
  const made = new Set(calls.map(({ id }) => id));
  const [starts, results] = [factsOf(facts, 'tool.started'), factsOf(facts, 'tool.finished')];
  const started = firstLines(starts);
  const finished = firstLines(results);
  const isStopped = ends.at(-1)?.result.state === 'stopped';
  return [
    ...repeated(calls, ({ id }) => id).map(({ line, id }) =>
      say(line, `Two calls have the id ${shown(id)}.`),
    ),
    ...[...starts, ...results, ...factsOf(facts, 'approval.decided')]
      .filter(({ callId }) => !made.has(callId))
      .map(({ line, type, callId }) => say(line, `${type} is of a call that nobody made: ${shown(callId)}.`)),
    ...factsOf(facts, 'run.resumed').flatMap(({ line, judgements }) =>
      judgements
        .filter(({ callId }) => !made.has(callId) || (finished.get(callId) ?? Infinity) < line)
        .map(({ callId }) => say(line, `A call is judged again that is not open: ${shown(callId)}.`)),
    ),
    ...repeated(starts, ({ callId }) => callId).map(({ line, callId }) =>
      say(line, `The call ${shown(callId)} starts a second time.`),
    ),
    ...repeated(results, ({ callId }) => callId).map(({ line, callId }) =>
      say(line, `The call ${shown(callId)} has a second result.`),
    ),
    ...starts
      .filter(({ callId, line }) => (finished.get(callId) ?? Infinity) < line)
      .map(({ line, callId }) => say(line, `The call ${shown(callId)} starts behind its result.`)),
    ...starts
      .filter(({ callId }) => made.has(callId) && !finished.has(callId))
      .map(({ line, callId }) => say(line, `The call ${shown(callId)} starts and never ends.`)),
    ...calls
      .filter(({ id }) => isStopped && !finished.has(id) && !started.has(id))
      .map(({ line, id }) => say(line, `The call ${shown(id)} has no result.`)),
    ...results
      .filter((result) => made.has(result.callId) && hasRun(result) && !started.has(result.callId))
      .map(({ line, callId, outcome }) =>
        say(line, `The call ${shown(callId)} never started, and its outcome is ${outcome.kind}.`),
      ),
  ];
}

/** Invalid calls fail, and calls are refused and closed, without a start. */
const hasRun = ({ outcome: { kind } }: FactOf<'tool.finished'>): boolean =>
  kind === 'succeeded' || kind === 'timed_out' || kind === 'interrupted';

function firstLines(facts: readonly Placed<{ readonly callId: string }>[]): ReadonlyMap<string, number> {
  return new Map(facts.toReversed().map(({ callId, line }) => [callId, line]));
}

/** Items whose key an earlier one has. */
function repeated<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const isRepeated = seen.has(keyOf(item));
    seen.add(keyOf(item));
    return isRepeated;
  });
}
