/** Invariant 1, what the user and the loop say: each request carries it once, in order, and none behind a paused turn. */
import { isAsked, isKept, wordsIn, type Asked, type ParsedJournal } from './lines.ts';
import { sayer, type Violation } from './violation.ts';

const say = sayer(1);

export function wordViolations({ facts }: ParsedJournal): readonly Violation[] {
  const found: Violation[] = [];
  let said = 0;
  // As it was when the request went out: what is said while it is out belongs to the next one.
  let sendable = 0;
  let heard = 0;
  let isPaused = false;
  for (const fact of facts) {
    if (isAsked(fact)) {
      const problems = [heardProblem(fact, isPaused ? heard : sendable), instructionProblem(fact, isPaused)];
      found.push(...problems.flatMap((problem) => (problem === null ? [] : [say(fact.line, problem)])));
      if (isKept(fact)) {
        ({ heard } = fact);
        isPaused = fact.type === 'model.paused';
      }
    }
    said += wordsIn(fact).length;
    if (fact.type !== 'user.interjected') sendable = said;
  }
  return found;
}

const heardProblem = ({ type, heard }: Asked, expected: number): string | null =>
  heard === expected
    ? null
    : `${type} has heard ${heard} words of the user; its request could carry ${expected} of them.`;

function instructionProblem(fact: Asked, isPaused: boolean): string | null {
  if (!('instruction' in fact)) return null;
  const isDue = fact.request === 'summary' && !isPaused;
  if (isDue === (fact.instruction !== null)) return null;
  return isDue
    ? `${fact.type} is of a summary, and nobody has told the model to sum up.`
    : `${fact.type} has an instruction, which only the request of a summary carries.`;
}
