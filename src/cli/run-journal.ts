import { resolve } from 'node:path';
import { UserError, messageOf } from '../errors.ts';
import {
  fileJournal,
  journalPath,
  type Durability,
  type FileJournal,
  type StoredJournal,
} from '../journal/file.ts';
import { markOwn } from '../journal/own.ts';
import type { Journal, JournalHeader, JournalLine } from '../ports.ts';
import { visible } from '../text/visible.ts';

export interface RunJournal extends Journal {
  readonly lines: readonly JournalLine[];
  readonly close: () => Promise<void>;
}

interface Where {
  readonly stateDir: string;
  readonly durability?: Durability;
  /** Its journal will count as one from elsewhere, and why. */
  readonly onUnmarked: (why: string) => Promise<void>;
}

/** A journal in the state folder. The file is made when the header comes, which knows the run's id. */
export function newJournal(
  where: Where,
  env: NodeJS.ProcessEnv,
  onLine: (line: JournalLine) => void,
): RunJournal {
  const lines: JournalLine[] = [];
  let file: FileJournal | null = null;
  return {
    lines,
    append: async (line) => {
      if (line.type === 'run.started') file = await openFile(where, line, env);
      await file?.append(line);
      lines.push(line);
      onLine(line);
    },
    close: async () => file?.close(),
  };
}

/** A journal that was there: its lines, and those that come. */
export function storedJournal(stored: StoredJournal, onLine: (line: JournalLine) => void): RunJournal {
  const lines = [...stored.lines];
  return {
    lines,
    append: async (line) => {
      await stored.append(line);
      lines.push(line);
      onLine(line);
    },
    close: () => stored.close(),
  };
}

async function openFile(
  { stateDir, durability = 'full', onUnmarked }: Where,
  { runId }: JournalHeader,
  env: NodeJS.ProcessEnv,
): Promise<FileJournal> {
  try {
    const path = await journalPath(resolve(stateDir), runId);
    const journal = await fileJournal(path, { durability });
    const why = await markOwn(path, env);
    if (why !== null) await onUnmarked(why);
    return journal;
  } catch (error) {
    throw new UserError(
      `Cannot write to the state folder ${visible(stateDir)}: ${visible(messageOf(error))}. Name another one with --state-dir.`,
      { cause: error },
    );
  }
}
