/** Invariant 6 by the machine itself: it takes every fact, and comes to what the outcome says. */
import { initialTransition, transition } from 'xstate';
import { agentLoop } from '../../machines/index.ts';
import { firstSegmentEnd, isAsked, type ParsedJournal, type Placed } from './lines.ts';
import type { End, VerifiedFact } from './schemas.ts';
import { sayer, shown, type Violation } from './violation.ts';

const say = sayer(6);

export function foldViolations(journal: ParsedJournal): readonly Violation[] {
  const { header, facts, ends } = journal;
  if (header === null) return [];
  const until = foldedUntil(journal);
  let [snapshot] = initialTransition(agentLoop, header);
  for (const fact of facts.filter(({ line }) => line < until)) {
    const problem = problemOf(snapshot, fact);
    if (problem !== null) return [say(fact.line, problem)];
    [snapshot] = transition(agentLoop, snapshot, fact);
  }
  const [end] = ends;
  return end === undefined || end.line > until ? [] : endViolations(snapshot, end);
}

/** Only what can be read is folded. */
const foldedUntil = (journal: ParsedJournal): number =>
  Math.min(firstSegmentEnd(journal), ...journal.violations.map(({ line }) => line));

type Snapshot = ReturnType<typeof initialTransition<typeof agentLoop>>[0];

function problemOf(snapshot: Snapshot, fact: Placed<VerifiedFact>): string | null {
  if (!snapshot.can(fact))
    return `${fact.type} cannot happen in the state ${JSON.stringify(snapshot.value)}.`;
  const isSummary = snapshot.matches({ running: 'finalSummary' });
  return isAsked(fact) && (fact.request === 'summary') !== isSummary
    ? `${fact.type} is of a ${fact.request}, but the state is ${JSON.stringify(snapshot.value)}.`
    : null;
}

function endViolations(snapshot: Snapshot, { line, result }: Placed<End>): readonly Violation[] {
  const { output, context } = snapshot;
  if (result.state === 'waiting') {
    if (output !== undefined) return [say(line, `The run waits, but its facts lead to ${output.reason}.`)];
    const waiting = context.calls.filter(({ verdict, decision }) => verdict === 'ask' && decision === null);
    if (!snapshot.matches({ running: 'awaitingApproval' }))
      return [say(line, 'The run waits, but there is no call that waits for a decision.')];
    return JSON.stringify(result.callIds) === JSON.stringify(waiting.map(({ id }) => id))
      ? []
      : [say(line, 'The calls that the run waits for are not those that have no decision.')];
  }
  if (output === undefined)
    return [say(line, `The run says ${shown(result.reason)}, but its facts lead to no stop.`)];
  const rows: readonly (readonly [string, unknown, unknown])[] = [
    ['stop reason', result.reason, output.reason],
    ['turns', result.turns, output.turns],
    ['summary', result.summary, output.summary],
  ];
  return rows
    .filter(([, said, real]) => said !== real)
    .map(([what, said, real]) =>
      say(line, `The outcome has ${what} ${shown(String(said))}; the facts lead to ${String(real)}.`),
    );
}
