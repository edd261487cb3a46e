/** `turnstile fork RUN --at N`: a new run that begins with the first lines of another one. */
import { resolve } from 'node:path';
import { systemClock } from '../clock.ts';
import { UserError } from '../errors.ts';
import { forkedLines, withMessage } from '../fork.ts';
import { fileJournal, journalPath } from '../journal/file.ts';
import { markOwn } from '../journal/own.ts';
import { readJournal } from '../journal/read.ts';
import type { JournalLine } from '../ports.ts';
import { newRunId } from '../run-id.ts';
import { storedRun } from '../stored-run.ts';
import { EXIT } from './exit-codes.ts';
import { findRun, foreignness } from './find-run.ts';
import { goOnLine } from './go-on.ts';
import { writeAll, type Io } from './io.ts';

export interface ForkOptions {
  readonly stateDir: string;
  /** The last line that is taken over. */
  readonly at: number;
  readonly editMessage?: string;
}

export async function fork(ref: string, { at, stateDir, editMessage }: ForkOptions, io: Io): Promise<number> {
  const path = await ownPath(ref, stateDir, io);
  // What stands behind may be damaged: that is what a fork is for.
  const lines = await readJournal(path, at);
  if (at > lines.length) throw new UserError(`The journal has ${lines.length} lines; --at ${at} is none.`);
  const runId = newRunId();
  const taken = forkedLines(lines, { runId, at: systemClock.date() });
  const edited = editMessage === undefined ? taken : withMessage(taken, editMessage);
  await keepFork(edited, runId, stateDir, io);
  await writeAll(io.stdout, `${runId}\n`);
  const next = goOnLine(null, edited, stateDir);
  await writeAll(io.stderr, `It has ${at} lines of the other one. ${next ?? ''}\n`);
  return EXIT.ok;
}

/** @throws {UserError} when others could have written the journal: a run of one's own cannot begin with it */
export async function ownPath(ref: string, stateDir: string, { env }: Io): Promise<string> {
  const found = await findRun(ref, stateDir);
  const foreign = await foreignness(found, env);
  if (foreign !== null) throw new UserError(`${foreign}: a run of your own cannot begin with it.`);
  return found.path;
}

/** Writes the journal of a new run. */
export async function keepFork(
  lines: readonly JournalLine[],
  runId: string,
  stateDir: string,
  { env }: Io,
): Promise<string> {
  storedRun(lines);
  const path = await journalPath(resolve(stateDir), runId);
  const journal = await fileJournal(path);
  try {
    await markOwn(path, env);
    for (const line of lines) await journal.append(line);
  } finally {
    await journal.close();
  }
  return path;
}
