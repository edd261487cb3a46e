/** Regular expressions of a model: linear in the length of a text, and with a small factor. */
import { RE2JS } from 're2js';

/** Compiling takes time as well. */
const MAX_CHARACTERS = 500;

/** Steps that the expression comes to, repetitions written out; a character costs up to as many. */
const MAX_STEPS = 1_000;

export type Pattern =
  | { readonly kind: 'pattern'; readonly isIn: (text: string) => boolean }
  | { readonly kind: 'bad'; readonly reason: string }
  | { readonly kind: 'large' | 'line_break' | 'empty' };

export interface PatternOptions {
  /** The text itself is looked for. */
  readonly isFixed: boolean;
  readonly ignoresCase: boolean;
}

/** For single lines. Syntax of RE2, which has no backreferences and does not look around. */
export function patternOf(text: string, { isFixed, ignoresCase }: PatternOptions): Pattern {
  if (text === '') return { kind: 'empty' };
  if (text.includes('\n')) return { kind: 'line_break' };
  if (text.length > MAX_CHARACTERS) return { kind: 'large' };
  try {
    const source = isFixed ? RE2JS.quote(text) : RE2JS.translateRegExp(text);
    const pattern = RE2JS.compile(source, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
    if (pattern.programSize() > MAX_STEPS) return { kind: 'large' };
    return { kind: 'pattern', isIn: (line) => pattern.test(line) };
  } catch (error) {
    return { kind: 'bad', reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : 'it cannot be read';
  return message.replace(/^error parsing regexp: /, '');
}
