/**
 * Which journals were begun on this account. A state folder can come with a repository, so lying in it says nothing: what
 * counts is a mark beside the journal that only the key of the account makes.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { messageOf } from '../errors.ts';
import { makeFolder, syncFolder } from './make-folder.ts';

/** Where the key is: outside of what can be cloned or unpacked. */
export function keyFolder({ XDG_STATE_HOME: base = '' }: NodeJS.ProcessEnv): string {
  return join(isAbsolute(base) ? base : join(homedir(), '.local', 'state'), 'turnstile');
}

/**
 * Marks a journal that was just made. Where the key or the mark cannot be kept it stays without one: the run works, and
 * its journal counts as one from elsewhere.
 * @returns why it has no mark, or null
 */
export async function markOwn(journalPath: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const key = await keyIn(keyFolder(env));
    await writeFile(markPathOf(journalPath), await markOf(journalPath, key), FOR_OWNER);
    await syncFolder(dirname(journalPath));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Whether it was begun on this account, and is still the same file. */
export async function isOwn(journalPath: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    const key = await readKey(keyFolder(env));
    const [found, right] = [await readFile(markPathOf(journalPath)), await markOf(journalPath, key)];
    return found.length === right.length && timingSafeEqual(found, Buffer.from(right));
  } catch {
    return false;
  }
}

const FOR_OWNER = { flag: 'wx', flush: true, mode: 0o600 } as const;

const markPathOf = (journalPath: string): string => journalPath.replace(/(\.jsonl)?$/, '.mark');

/** Bound to the very file: a mark that got about fits no other one, under whatever name. */
async function markOf(journalPath: string, key: Buffer): Promise<string> {
  const { ino } = await stat(journalPath, { bigint: true });
  return createHmac('sha256', key)
    .update(`${ino} ${basename(journalPath)}`)
    .digest('hex');
}

const KEY_BYTES = 32;

const keyPathIn = (folder: string): string => join(folder, 'key');

async function readKey(folder: string): Promise<Buffer> {
  const key = await readFile(keyPathIn(folder));
  if (key.length !== KEY_BYTES) throw new Error('It is no key.');
  return key;
}

/** Made when it is first needed. */
async function keyIn(folder: string): Promise<Buffer> {
  await makeFolder(folder);
  const temporary = join(folder, `key-${randomBytes(4).toString('hex')}.tmp`);
  try {
    return await readKey(folder);
  } catch {
    await writeFile(temporary, randomBytes(KEY_BYTES), FOR_OWNER);
    // Whole or not at all; of several that make one at the same time, the first one counts.
    await link(temporary, keyPathIn(folder)).catch(() => undefined);
    return await readKey(folder);
  } finally {
    await rm(temporary, { force: true });
  }
}
