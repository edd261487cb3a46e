/** What must always hold, as pure functions over what a run has left. docs/verify.md lists the invariants. */
import { callViolations } from './calls.ts';
import { boundViolations } from './bounds.ts';
import { ceilingViolations } from './ceiling.ts';
import { foldViolations } from './fold.ts';
import { parseJournal, type ParsedJournal } from './lines.ts';
import { outcomeViolations } from './outcome.ts';
import { pairingViolations } from './pairing.ts';
import { permissionViolations } from './permission.ts';
import { requestViolations } from './requests.ts';
import { responseViolations } from './responses.ts';
import { roomViolations } from './room.ts';
import { segmentViolations } from './segments.ts';
import { spendViolations } from './spend.ts';
import { textViolations } from './text.ts';
import { turnViolations } from './turns.ts';
import type { Violation } from './violation.ts';
import { wordViolations } from './words.ts';

export { verifyHistory, type HistoryOptions } from './history.ts';
export { verifyTranscript } from './transcript.ts';
export type { Violation } from './violation.ts';

/** By number; several share one. */
const RULES: readonly ((journal: ParsedJournal) => readonly Violation[])[] = [
  pairingViolations,
  responseViolations,
  requestViolations,
  wordViolations,
  permissionViolations,
  callViolations,
  spendViolations,
  boundViolations,
  ceilingViolations,
  roomViolations,
  turnViolations,
  segmentViolations,
  outcomeViolations,
  textViolations,
];

/**
 * Holds a journal against the invariants. It believes nothing: lines may be of anybody. Never throws.
 * @param lines values as parsed from JSON, in order
 * @returns by line; empty when all hold
 */
export function verifyJournal(lines: readonly unknown[]): readonly Violation[] {
  const journal = parseJournal(lines);
  const found = [...journal.violations, ...RULES.flatMap((rule) => rule(journal))];
  // That the machine cannot take a fact is the last thing to say: another rule may know why.
  const isExplained = ({ line }: Violation): boolean =>
    journal.facts.some((fact) => fact.line === line) && found.some((other) => other.line === line);
  return [...found, ...foldViolations(journal).filter((violation) => !isExplained(violation))].toSorted(
    (a, b) => a.line - b.line,
  );
}

/** The lines that are no lines of a journal, whatever they are, and why. Never throws. */
export const unreadable = (lines: readonly unknown[]): readonly Violation[] => parseJournal(lines).violations;
