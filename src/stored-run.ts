/** A run as its journal has it: hostile until it was read and folded. */
import { messageOf, UserError } from './errors.ts';
import type { JournalHeader, JournalLine, RunResult } from './ports.ts';
import { headerAt, RunState } from './run-state.ts';
import { unreadable } from './verify/index.ts';

export interface StoredRun {
  /** As the run began. What holds now is `state.header`. */
  readonly header: JournalHeader;
  readonly state: RunState;
  /** How the last segment ended; null where its process died, or is at it. */
  readonly ended: RunResult | null;
}

/**
 * Folds the lines of a journal.
 * @throws {UserError} that names the first line that is no line of a journal, or that cannot happen where it stands
 */
export function storedRun(lines: readonly JournalLine[]): StoredRun {
  const header = firstOf(lines);
  const [problem] = unreadable(lines);
  if (problem !== undefined) throw brokenAt(problem.line, problem.message);
  const state = new RunState(header);
  let ended: RunResult | null = null;
  for (const [index, line] of lines.entries()) {
    if (line.type === 'run.ended') ended = line.result;
    else if (line.type !== 'run.started') {
      try {
        state.take(line);
      } catch (error) {
        throw brokenAt(index + 1, messageOf(error));
      }
      ended = null;
    }
  }
  return { header, state, ended };
}

/**
 * What holds at the end of a journal, without folding it all.
 * @throws {UserError} when the header or a resumption is no line of a journal
 */
export function lastHeader(lines: readonly JournalLine[]): JournalHeader {
  const header = firstOf(lines);
  const resumptions = lines.filter((line) => line.type === 'run.resumed');
  const [problem] = unreadable([header, ...resumptions]);
  if (problem !== undefined) throw new UserError(`The journal cannot be read: ${problem.message}`);
  return headerAt(header, resumptions);
}

function firstOf([header]: readonly JournalLine[]): JournalHeader {
  if (header?.type === 'run.started') return header;
  throw new UserError(
    header === undefined
      ? 'The journal has no header yet: its process ended before the run had begun, or is just beginning it. Begin the run again.'
      : 'The journal has no header: its first line is not run.started.',
  );
}

const brokenAt = (line: number, what: string): UserError =>
  new UserError(
    `Line ${line} of the journal cannot be: ${what} The lines before it can be taken into a new run: turnstile fork RUN --at ${line - 1}`,
  );
