import { constants } from 'node:fs';
import { open, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, UserError } from '../errors.ts';
import type { Journal, JournalLine } from '../ports.ts';
import { lockJournal, type JournalLock } from './lock.ts';
import { makeFolder, syncFolder } from './make-folder.ts';
import { bytesOf, parseJournal } from './read.ts';

/**
 * `full`: each line is on the disk before the run goes on, and survives a power cut. `os`: it is handed to the operating
 * system, and survives the death of the process.
 */
export type Durability = 'full' | 'os';

export interface FileJournalOptions {
  /** [full] */
  readonly durability?: Durability;
}

export interface FileJournal extends Journal {
  close(): Promise<void>;
}

/** A journal that was there, and goes on. */
export interface StoredJournal extends FileJournal {
  /** What it held when it was opened. */
  readonly lines: readonly JournalLine[];
  /** Bytes of a last line whose writer had died before it was whole: they are left out. */
  readonly tornBytes: number;
}

/**
 * A journal in a file of its own: one JSON document a line, each flushed before the run goes on. The file must not
 * exist; it is readable by its owner only, and locked until it is closed.
 * @throws the error of the file system: nothing of the run has happened yet
 */
export async function fileJournal(path: string, options: FileJournalOptions = {}): Promise<FileJournal> {
  await makeFolder(dirname(path));
  const lock = await lockJournal(path);
  try {
    const file = await open(path, 'ax', 0o600);
    await syncFolder(dirname(path));
    return journalOf(file, lock, options);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Opens a journal to go on with its run. A last line that is not whole is cut off as soon as another one follows: the run
 * had not gone on from it.
 * @throws {UserError} when another process writes to it, or when it cannot be read: the line, and what is wrong with it
 */
export async function openJournal(path: string, options: FileJournalOptions = {}): Promise<StoredJournal> {
  // What is not there, or no file, gets no lock.
  const file = await openFile(path);
  let lock: JournalLock | null = null;
  try {
    lock = await lockJournal(path);
    // Only now: whoever had the lock may have written more.
    const stored = parseJournal(await bytesOf(path), path);
    // Not before there is something to write: who only looks changes nothing.
    const mend = async (): Promise<void> => {
      if (stored.tornBytes > 0) await file.truncate(stored.bytes);
      if (stored.isUnterminated) await file.appendFile('\n');
    };
    return { ...journalOf(file, lock, options, mend), lines: stored.lines, tornBytes: stored.tornBytes };
  } catch (error) {
    await file.close();
    await lock?.release();
    throw error;
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  } catch (error) {
    throw new UserError(`The journal cannot be opened: ${messageOf(error)}`, { cause: error });
  }
}

function journalOf(
  file: FileHandle,
  lock: JournalLock,
  { durability = 'full' }: FileJournalOptions,
  mend: () => Promise<void> = async () => undefined,
): FileJournal {
  let failure: unknown = null;
  let isMended = false;
  return {
    append: async (line) => {
      // Behind half a line nothing more can be written.
      if (failure !== null) throw failure;
      try {
        if (!isMended) await mend();
        isMended = true;
        await appendLine(file, JSON.stringify(line), durability);
      } catch (error) {
        failure = writeError(error);
        throw failure;
      }
    },
    close: async () => {
      await file.close();
      await lock.release();
    },
  };
}

async function appendLine(file: FileHandle, json: string, durability: Durability): Promise<void> {
  // A deleted file takes every line, and keeps none.
  if ((await file.stat()).nlink === 0) throw new Error('the file was removed');
  await file.appendFile(`${json}\n`);
  if (durability === 'full') await file.datasync();
}

const writeError = (error: unknown): UserError =>
  new UserError(
    `The journal cannot be written: ${messageOf(error)}. The run has stopped before its next step; what was recorded is kept.`,
    { exitCode: 1, cause: error },
  );

/** Where the journal of a run lives in a state folder. The folder hides itself from git. */
export async function journalPath(stateDir: string, runId: string): Promise<string> {
  await makeFolder(stateDir);
  await writeFile(join(stateDir, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => undefined);
  return join(runsFolder(stateDir), `${runId}.jsonl`);
}

export const runsFolder = (stateDir: string): string => join(stateDir, 'runs');
