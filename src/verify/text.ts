/** Invariant 7, and that nothing blank is said: what leaves for the model or the user is text that they can take. */
import { isKept, wordsIn, type ParsedJournal } from './lines.ts';
import { sayer, type Violation } from './violation.ts';

type Line = ParsedJournal['order'][number];

export const textViolations = ({ order }: ParsedJournal): readonly Violation[] =>
  order.flatMap((line) => [...brokenViolations(line), ...blankViolations(line)]);

const brokenViolations = (line: Line): readonly Violation[] =>
  isWellFormed(leavingOf(line))
    ? []
    : [sayer(7)(line.line, `${line.type} holds half a character, which no server takes.`)];

/** What of a line is sent or shown. A reason that a person gave stays here; the result that quotes it does not. */
function leavingOf(line: Line): unknown {
  if (line.type === 'run.started') return [line.task, line.system, line.tools];
  if (line.type === 'run.ended') return line.result;
  if (line.type === 'user.interjected' || line.type === 'run.resumed') return wordsIn(line);
  if (line.type === 'tool.finished') return line.outcome.content;
  if (!isKept(line)) return null;
  return [line.instruction, line.message.content];
}

/** Keys as well as values. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

function blankViolations(line: Line): readonly Violation[] {
  const isBlank = wordsOf(line).some((words) => words.trim() === '');
  return isBlank ? [sayer(1)(line.line, `${line.type} says something blank, which the API refuses.`)] : [];
}

/** Words that a message is made of. */
function wordsOf(line: Line): readonly string[] {
  if (line.type === 'run.started') return [line.task];
  if (line.type === 'run.ended') return [];
  if ('instruction' in line) return line.instruction === null ? [] : [line.instruction];
  return wordsIn(line);
}
