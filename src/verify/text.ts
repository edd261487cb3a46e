/** Invariant 7, and that nothing blank is said: what leaves is well-formed. */
import type { Violation } from './lines.ts';

/** @param lines as they were read, whatever they are */
export const textViolations = (lines: readonly unknown[]): readonly Violation[] =>
  lines.flatMap((value, index) => {
    const line = index + 1;
    const broken = stringsIn(value).find((text) => !text.isWellFormed());
    return [
      ...(broken === undefined
        ? []
        : [
            { line, invariant: 7 as const, message: 'A text holds half a character, which no server takes.' },
          ]),
      ...(isBlankWord(value)
        ? [{ line, invariant: 1 as const, message: 'The user said something blank, which the API refuses.' }]
        : []),
    ];
  });

const isBlankWord = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Reflect.get(value, 'type') === 'user.interjected' &&
  String(Reflect.get(value, 'text')).trim() === '';

/** Keys as well as values. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  // What a person made of an input is run as it is, and told as JSON, which escapes.
  const rows = Object.entries(value).filter(([key]) => key !== 'edited');
  return rows.flatMap(([key, inner]) => [key, ...stringsIn(inner)]);
}
