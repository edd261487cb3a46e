/** A run as its journal has it: hostile until it was read and folded. */
import { messageOf, UserError } from './errors.ts';
import type { JournalHeader, JournalLine, RunResult } from './ports.ts';
import { RunState } from './run-state.ts';
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
 * @param until line to stop behind, counted from 1
 * @throws {UserError} that names the first line that is no line of a journal, or that cannot happen where it stands
 */
export function storedRun(lines: readonly JournalLine[], until = lines.length): StoredRun {
  const [header] = lines;
  if (header?.type !== 'run.started') throw new UserError('The journal has no header: it is empty.');
  const kept = lines.slice(0, until);
  const [problem] = unreadable(kept);
  if (problem !== undefined) throw brokenAt(problem.line, problem.message);
  const state = new RunState(header);
  let ended: RunResult | null = null;
  for (const [index, line] of kept.entries()) {
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

const brokenAt = (line: number, what: string): UserError =>
  new UserError(
    `Line ${line} of the journal cannot be: ${what} The lines before it can be taken into a new run: turnstile fork RUN --at ${line - 1}`,
  );
