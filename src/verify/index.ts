/** What must always hold, as pure functions over what a run has left. docs/verify.md lists the invariants. */
import { validateRequest } from './api/index.ts';
import { callViolations } from './calls.ts';
import { foldViolations } from './fold.ts';
import { parseJournal, type Violation } from './lines.ts';
import { requestViolations } from './requests.ts';
import { segmentViolations } from './segments.ts';
import { spendViolations } from './spend.ts';
import { textViolations } from './text.ts';

export type { Violation } from './lines.ts';
export { verifyTranscript } from './transcript.ts';

/**
 * Holds a journal against the invariants. It believes nothing: lines may be of anybody.
 * @param lines values as parsed from JSON, in order
 * @returns by line; empty when all hold
 */
export function verifyJournal(lines: readonly unknown[]): readonly Violation[] {
  const journal = parseJournal(lines);
  return [
    ...journal.violations,
    ...segmentViolations(journal),
    ...foldViolations(journal),
    ...callViolations(journal),
    ...spendViolations(journal),
    ...requestViolations(journal),
    ...textViolations(lines),
  ].toSorted((a, b) => a.line - b.line);
}

export interface HistoryOptions {
  /** Default: the current one, 2026-10-21. */
  readonly version?: string;
}

/**
 * Holds a request body of the Messages API against its rules.
 * @param body with `messages`; what else a request needs is added where it is missing
 * @returns the API's own words for the first thing that it would refuse; null when it would accept
 */
export function verifyHistory(
  body: Readonly<Record<string, unknown>>,
  { version = '2026-10-21' }: HistoryOptions = {},
): string | null {
  const request = { model: 'claude-haiku-5-5', max_tokens: 1_024, ...body };
  return validateRequest(request, { version, models: 'any' })?.message ?? null;
}
