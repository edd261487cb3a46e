/** One writer for each journal: a lock of the operating system, which dies with the process that holds it. */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { UserError } from '../errors.ts';

/** Beside the journal `<id>.jsonl`: `<id>.lock`, which holds the pid of its last writer and is never removed. */
const lockPathOf = (journalPath: string): string => journalPath.replace(/(\.jsonl)?$/, '.lock');

export interface JournalLock {
  release(): Promise<void>;
}

/**
 * Takes the lock of a journal, without waiting. Where the addon has no build (musl), nothing is locked.
 * @throws {UserError} when another process has it: names its pid
 */
export async function lockJournal(journalPath: string): Promise<JournalLock> {
  const file = await open(
    lockPathOf(journalPath),
    constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    if (!(await tryLock(file))) throw await heldError(file);
    await file.truncate();
    await file.write(String(process.pid), 0);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { release: () => file.close() };
}

/** Whether a living process writes to the journal. Changes nothing. */
export async function isJournalLocked(journalPath: string): Promise<boolean> {
  const flags = constants.O_RDWR | constants.O_NOFOLLOW;
  const file = await open(lockPathOf(journalPath), flags).catch(() => null);
  try {
    return file !== null && !(await tryLock(file));
  } finally {
    await file?.close();
  }
}

async function heldError(file: FileHandle): Promise<UserError> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(20), position: 0 });
  const pid = /^\d+$/.exec(buffer.toString('latin1', 0, bytesRead))?.[0];
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return new UserError(`The run is under way in ${who}. Wait for its end, or stop it.`);
}

async function tryLock(file: FileHandle): Promise<boolean> {
  const addon = await import('fs-native-extensions').catch(() => null);
  return addon === null || addon.default.tryLock(file.fd);
}
