/** One writer for each journal: a lock of the operating system, which dies with the process that holds it. */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { UserError } from '../errors.ts';

/** Beside the journal `<id>.jsonl`: `<id>.lock`, which holds the pid of its last writer and is never removed. */
const lockPathOf = (journalPath: string): string => journalPath.replace(/(\.jsonl)?$/, '.lock');

export interface JournalLock {
  release(): Promise<void>;
}

/**
 * Takes the lock of a journal, without waiting for another writer. Where the addon has no build (musl), nothing is locked.
 * @param pause until those who only look have gone
 * @throws {UserError} when another process has it: names its pid
 */
export async function lockJournal(journalPath: string, pause = shortPause): Promise<JournalLock> {
  const file = await open(
    lockPathOf(journalPath),
    constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    if (!(await takeLock(file, pause))) throw await heldError(file);
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
    const addon = await loadAddon();
    return file !== null && addon !== null && !addon.tryLock(file.fd, { shared: true });
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

const shortPause = (): Promise<void> => setTimeout(10);

const MAX_PAUSES = 100;

/** Who only looks shares the lock for an instant; that is no writer. */
async function takeLock({ fd }: FileHandle, pause: () => Promise<void>): Promise<boolean> {
  const addon = await loadAddon();
  if (addon === null) return true;
  for (let pauses = 0; pauses < MAX_PAUSES; pauses += 1) {
    if (addon.tryLock(fd)) return true;
    if (!addon.tryLock(fd, { shared: true })) return false;
    addon.unlock(fd);
    await pause();
  }
  return false;
}

const loadAddon = () =>
  import('fs-native-extensions').then(
    (addon) => addon.default,
    () => null,
  );
