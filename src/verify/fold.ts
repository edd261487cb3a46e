/** Invariants 2, 3, 5 and 6 by the machine itself: it takes every fact, and comes to what the outcome says. */
import { initialTransition, transition } from 'xstate';
import { agentLoop } from '../../machines/index.ts';
import { eventOf, type Ended, type ParsedJournal, type Placed, type Violation } from './lines.ts';

export function foldViolations(journal: ParsedJournal): readonly Violation[] {
  const { header, facts, ends, order } = journal;
  // A later segment begins with what the earlier ones carry; only the first is folded.
  const until = order.find(({ type }) => type === 'run.resumed')?.line ?? Infinity;
  if (header === null) return [];
  let [snapshot] = initialTransition(agentLoop, header);
  for (const fact of facts.filter(({ line }) => line < until)) {
    const event = eventOf(fact);
    if (!canTake(snapshot, event)) {
      const state = JSON.stringify(snapshot.value);
      return [
        { line: fact.line, invariant: 6, message: `${fact.type} cannot happen in the state ${state}.` },
      ];
    }
    [snapshot] = transition(agentLoop, snapshot, event);
  }
  const end = ends.find(({ line }) => line < until);
  return end === undefined ? [] : outcomeViolations(snapshot, end);
}

type Snapshot = ReturnType<typeof initialTransition<typeof agentLoop>>[0];

function canTake(snapshot: Snapshot, event: Parameters<Snapshot['can']>[0]): boolean {
  try {
    return snapshot.can(event);
  } catch {
    // Amounts beyond what numbers hold, and other things that no guard expects.
    return false;
  }
}

function outcomeViolations(snapshot: Snapshot, { line, result }: Placed<Ended>): readonly Violation[] {
  const say = (message: string): Violation => ({ line, invariant: 6, message });
  const { output } = snapshot;
  if (result.state === 'waiting') {
    return output === undefined ? [] : [say(`The run waits, but its facts lead to ${output.reason}.`)];
  }
  if (output === undefined) return [say(`The run says ${result.reason}, but its facts lead to no stop.`)];
  const rows: readonly (readonly [string, unknown, unknown])[] = [
    ['stop reason', result.reason, output.reason],
    ['turns', result.turns, output.turns],
    ['summary', result.summary, output.summary],
  ];
  return rows
    .filter(([, said, real]) => said !== real)
    .map(([what, said, real]) =>
      say(`The outcome has ${what} ${String(said)}; the facts lead to ${String(real)}.`),
    );
}
