/** Invariant 5: the model is asked for at most as many turns as the limits allow, raised ones included. */
import { isAsked, isKept, type ParsedJournal, type Placed } from './lines.ts';
import type { VerifiedFact } from './schemas.ts';
import { sayer, type Violation } from './violation.ts';

const say = sayer(5);

export function turnViolations({ header, facts }: ParsedJournal): readonly Violation[] {
  if (header === null) return [];
  const found: Violation[] = [];
  let { maxTurns } = header.limits;
  let turns = 0;
  for (const line of facts) {
    if (line.type === 'run.resumed') ({ maxTurns } = line.limits);
    else if (line.type === 'limit.raised') maxTurns += line.turns;
    else if (isAsked(line)) {
      if (turns >= maxTurns)
        found.push(
          say(line.line, `The model is asked for turn ${turns + 1}; there may be ${maxTurns} turns.`),
        );
      if (countsAsTurn(line)) turns += 1;
    }
  }
  return found;
}

/** One turn has one response that counts; retries, growths and continuations are on the way to it. */
const countsAsTurn = (fact: Placed<VerifiedFact>): boolean =>
  fact.type === 'model.refused' ||
  fact.type === 'model.overflowed' ||
  (isKept(fact) && fact.type !== 'model.paused');
