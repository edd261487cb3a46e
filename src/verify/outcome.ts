/** Invariant 6: what the outcome says to the user is what the facts hold. */
import { isDeepStrictEqual } from 'node:util';
import { isAsked, isKept, wordsIn, type ParsedJournal, type Placed, type Responded } from './lines.ts';
import type { End, Stopped, VerifiedFact } from './schemas.ts';
import { sayer, shown, type Violation } from './violation.ts';

const say = sayer(6);

export const outcomeViolations = ({ facts, ends }: ParsedJournal): readonly Violation[] =>
  ends.flatMap((end) => endViolations(end, facts));

function endViolations({ line, result }: Placed<End>, facts: Facts): readonly Violation[] {
  if (result.state !== 'stopped') return [];
  const earlier = facts.filter((fact) => fact.line < line);
  return [
    ...answerProblems(result, earlier),
    ...unreadProblems(result, earlier),
    ...stopReasonProblems(result, earlier),
    ...failureProblems(result, earlier),
  ].map((problem) => say(line, problem));
}

function answerProblems({ answer, answerFrom }: Stopped, facts: Facts): readonly string[] {
  const turns = textsOf(facts);
  const last = facts.findLast((fact) => isAsked(fact) || (fact.type === 'run.resumed' && fact.hasWords));
  const closing = last !== undefined && isKept(last) ? turns.at(-1) : '';
  const earlier = turns.findLast((text) => text !== '') ?? '';
  const [text, from] =
    closing === '' ? [earlier, earlier === '' ? 'none' : 'earlier_turn'] : [closing, 'closing_turn'];
  return [
    ...(lettersOf(answer) === text ? [] : ['The answer is not what the model said.']),
    ...(answerFrom === from ? [] : [`The answer is said to be from ${answerFrom}; it is from ${from}.`]),
  ];
}

type Facts = readonly Placed<VerifiedFact>[];

/** What each turn says; the parts of a paused turn belong together. */
function textsOf(facts: Facts): readonly string[] {
  const turns: string[] = [];
  let isPaused = false;
  for (const fact of facts.filter(isKept)) {
    const before = isPaused ? (turns.pop() ?? '') : '';
    turns.push(before + textOf(fact));
    isPaused = fact.type === 'model.paused';
  }
  return turns;
}

const textOf = ({ message }: Responded): string =>
  message.content.map(({ type, text }) => (type === 'text' ? lettersOf(text) : '')).join('');

/** How texts are joined and trimmed is a matter of taste; their letters are not. */
const lettersOf = (text: unknown): string => (typeof text === 'string' ? text.replaceAll(/\s/g, '') : '');

function unreadProblems({ unread }: Stopped, facts: Facts): readonly string[] {
  const said = facts.flatMap(wordsIn);
  const heard = facts.findLast(isKept)?.heard ?? 0;
  const expected = said.slice(heard);
  // What was said while the last fact was being written is in no fact, and stands behind the others.
  return JSON.stringify(unread.slice(0, expected.length)) === JSON.stringify(expected)
    ? []
    : ['What the outcome lists as unread is not what the model has not heard.'];
}

function stopReasonProblems({ stopReason }: Stopped, facts: Facts): readonly string[] {
  const real = facts.findLast((fact) => 'message' in fact)?.message.stopReason ?? null;
  return stopReason === real
    ? []
    : [
        `The outcome has stop_reason ${shown(String(stopReason))}; the last response has ${shown(String(real))}.`,
      ];
}

/** Why the model failed is told to the user, and nothing of failures that the run got over. */
function failureProblems({ reason, failure }: Stopped, facts: Facts): readonly string[] {
  const last = facts.findLast(isAsked);
  const hasFailed = reason === 'model_failed' || reason === 'context_window';
  const real = hasFailed && last?.type === 'model.failed' ? last.failure : null;
  // Who pauses too often has failed, and no fact says so in words.
  if (reason === 'model_failed' && last?.type === 'model.paused')
    return failure === null ? ['The outcome does not say how the model failed.'] : [];
  return isDeepStrictEqual(failure, real)
    ? []
    : ['The failure of the outcome is not the one that stopped it.'];
}
