/** `turnstile fork RUN --at N`: a new run that begins with the first lines of another one. */
import { resolve } from 'node:path';
import { boundsFor, promptBound } from '../budget/bounds.ts';
import { systemClock } from '../clock.ts';
import { UserError } from '../errors.ts';
import { fileJournal, journalPath } from '../journal/file.ts';
import { readJournal } from '../journal/read.ts';
import type { JournalLine } from '../ports.ts';
import { newRunId } from '../run-id.ts';
import { storedRun } from '../stored-run.ts';
import { EXIT } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import { goOnLine } from './go-on.ts';
import { writeAll, type Io } from './io.ts';

export interface ForkOptions {
  readonly stateDir: string;
  /** The last line that is taken over. */
  readonly at: number;
  readonly editMessage?: string;
}

export async function fork(ref: string, { at, stateDir, editMessage }: ForkOptions, io: Io): Promise<number> {
  const { path, isOwn } = await findRun(ref, stateDir);
  if (!isOwn)
    throw new UserError(
      'This journal lies outside the state folder: a run of your own cannot begin with it.',
    );
  // What stands behind may be damaged: that is what a fork is for.
  const lines = await readJournal(path, at);
  if (at > lines.length) throw new UserError(`The journal has ${lines.length} lines; --at ${at} is none.`);
  storedRun(lines);
  const runId = newRunId();
  const taken = lines.map((line, index) => renamed(line, runId, index === 0));
  const edited = editMessage === undefined ? taken : [...taken.slice(0, -1), withMessage(taken, editMessage)];
  storedRun(edited);
  const journal = await fileJournal(await journalPath(resolve(stateDir), runId));
  try {
    for (const line of edited) await journal.append(line);
  } finally {
    await journal.close();
  }
  await writeAll(io.stdout, `${runId}\n`);
  const next = goOnLine(null, edited, stateDir);
  await writeAll(io.stderr, `It has ${at} lines of the other one. ${next ?? ''}\n`);
  return EXIT.ok;
}

function renamed(line: JournalLine, runId: string, isFirst: boolean): JournalLine {
  if (line.type === 'run.started') return { ...line, runId, ...(isFirst && { at: systemClock.date() }) };
  return line.type === 'run.ended' ? { ...line, result: { ...line.result, runId } } : line;
}

/** The last line, where the user says something else in it. What it adds to the next request is worked out again. */
function withMessage(lines: readonly JournalLine[], message: string): JournalLine {
  const text = message.toWellFormed();
  const last = lines.at(-1);
  if (message.trim() === '') throw new UserError('--edit-message: the message is blank.');
  if (last?.type === 'run.started')
    return { ...last, task: text, ...boundsFor(promptBound({ ...last, task: text }, []), last.price) };
  const before = storedRun(lines.slice(0, -1)).state;
  if (last?.type === 'user.interjected') return { ...before.priced({ ...last, text }), at: last.at };
  if (last?.type === 'run.resumed' && last.hasWords)
    return { ...before.priced({ ...last, words: [text] }), at: last.at };
  throw new UserError(
    '--edit-message: the user says nothing in that line. Line 1 has the task; `run.resumed` and `user.interjected` have messages.',
  );
}
