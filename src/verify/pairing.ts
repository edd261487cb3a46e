/** Invariant 1, call by call: each result stands behind the response that made the call, in the order of the calls. */
import { callsIn, isAsked, type ParsedJournal, type PlacedCall } from './lines.ts';
import { sayer, shown, type Violation } from './violation.ts';

const say = sayer(1);

export function pairingViolations({ facts }: ParsedJournal): readonly Violation[] {
  const found: Violation[] = [];
  let open: readonly PlacedCall[] = [];
  for (const fact of facts) {
    if (isAsked(fact)) {
      for (const { id, line } of open) {
        found.push(
          say(fact.line, `The model is asked, but the call ${shown(id)} of line ${line} has no result.`),
        );
      }
      open = callsIn(fact);
    } else if (fact.type === 'tool.finished') {
      const [next, ...later] = open;
      if (next !== undefined && later.some(({ id }) => id === fact.callId)) {
        found.push(
          say(fact.line, `The result of ${shown(fact.callId)} comes before that of ${shown(next.id)}.`),
        );
      }
      open = open.filter(({ id }) => id !== fact.callId);
    }
  }
  return found;
}
