/** Invariant 6 by the machine itself: it takes every fact, and comes to what each outcome says. */
import { initialTransition, transition } from 'xstate';
import { agentLoop, resumed } from '../../machines/index.ts';
import { isAsked, type ParsedJournal, type Placed } from './lines.ts';
import type { End, VerifiedFact } from './schemas.ts';
import { sayer, shown, type Violation } from './violation.ts';

const say = sayer(6);

export function foldViolations({ header, order, violations }: ParsedJournal): readonly Violation[] {
  if (header === null) return [];
  // Only what can be read is folded.
  const until = Math.min(...violations.map(({ line }) => line));
  const found: Violation[] = [];
  let [snapshot] = initialTransition(agentLoop, header);
  for (const line of order.filter((placed) => placed.line < until)) {
    if (line.type === 'run.ended') found.push(...endViolations(snapshot, line));
    else if (line.type !== 'run.started') {
      const problem = problemOf(snapshot, line);
      if (problem !== null) return [...found, say(line.line, problem)];
      snapshot =
        line.type === 'run.resumed' ? resumed(snapshot, line) : transition(agentLoop, snapshot, line)[0];
    }
  }
  return found;
}

type Snapshot = ReturnType<typeof initialTransition<typeof agentLoop>>[0];

function problemOf(snapshot: Snapshot, fact: Placed<VerifiedFact>): string | null {
  const isSummary = snapshot.matches({ running: 'finalSummary' });
  const out = snapshot.matches({ running: 'callingModel' }) ? 'turn' : isSummary ? 'summary' : null;
  if (fact.type === 'run.resumed') {
    if (fact.abortedRequest !== out)
      return `The run is resumed with the lost request ${String(fact.abortedRequest)}; it is ${String(out)}.`;
    return fact.hasWords === fact.words.length > 0
      ? null
      : `The run is resumed with ${fact.words.length} texts of the user, and says the opposite.`;
  }
  if (!snapshot.can(fact))
    return `${fact.type} cannot happen in the state ${JSON.stringify(snapshot.value)}.`;
  // A request that had not been sent yet is not aborted.
  if (fact.type === 'run.aborted' && fact.abortedRequest !== null && fact.abortedRequest !== out)
    return `The run is aborted with the request ${fact.abortedRequest}; the one that is out is ${String(out)}.`;
  return isAsked(fact) && (fact.request === 'summary') !== isSummary
    ? `${fact.type} is of a ${fact.request}, but the state is ${JSON.stringify(snapshot.value)}.`
    : null;
}

function endViolations(snapshot: Snapshot, { line, result }: Placed<End>): readonly Violation[] {
  const { output, context } = snapshot;
  if (result.state === 'waiting') {
    if (output !== undefined) return [say(line, `The run waits, but its facts lead to ${output.reason}.`)];
    const waiting = context.calls.filter(({ verdict, decision }) => verdict === 'ask' && decision === null);
    // All may be decided: then the run waits for somebody to go on with it.
    const canWait = ['awaitingApproval', 'executingTools', 'closingCalls'] as const;
    if (!canWait.some((state) => snapshot.matches({ running: state })))
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
