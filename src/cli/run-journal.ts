import { resolve } from 'node:path';
import { UserError, messageOf } from '../errors.ts';
import { fileJournal, journalPath } from '../journal/file.ts';
import type { Journal, JournalHeader, JournalLine } from '../ports.ts';
import { visible } from '../text/visible.ts';

export interface RunJournal extends Journal {
  readonly lines: readonly JournalLine[];
  readonly close: () => Promise<void>;
}

/** A journal in the state folder. The file is made when the header comes, which knows the run's id. */
export function openJournal(stateDir: string, onLine: (line: JournalLine) => void): RunJournal {
  const lines: JournalLine[] = [];
  let file: Awaited<ReturnType<typeof fileJournal>> | null = null;
  return {
    lines,
    append: async (line) => {
      if (line.type === 'run.started') file = await openFile(stateDir, line);
      await file?.append(line);
      lines.push(line);
      onLine(line);
    },
    close: async () => file?.close(),
  };
}

async function openFile(stateDir: string, { runId }: JournalHeader): ReturnType<typeof fileJournal> {
  try {
    return await fileJournal(await journalPath(resolve(stateDir), runId));
  } catch (error) {
    throw new UserError(
      `Cannot write to the state folder ${visible(stateDir)}: ${visible(messageOf(error))}. Name another one with --state-dir.`,
      { cause: error },
    );
  }
}
