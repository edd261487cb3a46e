/** What does not hold, and where. */
export interface Violation {
  /** Of the journal, from 1; of a document that has no lines of its own, 1. */
  readonly line: number;
  /** Of docs/verify.md, 1 to 7; 0: the line is none that a journal knows. */
  readonly invariant: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
  /** One sentence for people. It may hold text of the journal: make it visible before it is shown. */
  readonly message: string;
}

/** Says what is wrong with a line, by one invariant. */
export const sayer =
  (invariant: Violation['invariant']) =>
  (line: number, message: string): Violation => ({ line, invariant, message });

const MAX_SHOWN = 60;

/** Text of a journal within a sentence: an id may be as long as somebody likes. */
export const shown = (text: string): string =>
  text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;
