import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Replaces a file as a whole: readers see the old one or the new one, never a part. It is readable by its owner only.
 * A link stays and its target is replaced; what is no regular file (a device, a pipe, a folder) is left alone.
 * @throws {Error} that says why, with no name in it; nothing is left behind then
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const target = await targetOf(path);
  await inPlaceOf(target, async (temporary) => {
    await writeFile(temporary, text, { flag: 'wx', flush: true, mode: 0o600 });
    await rename(temporary, target);
  });
}

/**
 * Finds out whether `writeWhole` would work, and changes nothing.
 * @throws {Error} that says why not, with no name in it
 */
export async function checkWritable(path: string): Promise<void> {
  const target = await targetOf(path);
  await inPlaceOf(target, async (temporary) => {
    await writeFile(temporary, '', { flag: 'wx', mode: 0o600 });
    await rm(temporary);
  });
}

/** The file that a path leads to, be it there or not. */
async function targetOf(path: string): Promise<string> {
  const found = await stat(path).catch(absent);
  if (found === null) return newFile(path);
  if (found.isDirectory()) throw new Error('it is a folder');
  if (!found.isFile()) throw new Error('it is no regular file');
  await access(path, constants.W_OK).catch(rethrow);
  return realpath(path);
}

/** A link to a file that is not there yet leads to it all the same. */
async function newFile(path: string): Promise<string> {
  const link = await readlink(path).catch(() => null);
  const folder = dirname(resolve(path));
  if (link !== null) return targetOf(resolve(folder, link));
  const above = await stat(folder).catch(absent);
  if (above === null) throw new Error('its folder is not there');
  if (!above.isDirectory()) throw new Error('what should be its folder is a file');
  return join(await realpath(folder), basename(path));
}

/** Works with a temporary file beside the target, on the same file system. */
async function inPlaceOf(target: string, work: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = join(dirname(target), `.turnstile-${process.pid}-${randomBytes(4).toString('hex')}.tmp`);
  try {
    await work(temporary);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    rethrow(error);
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  return rethrow(error);
}

/** Without the name of the file: it is a temporary one, or the caller knows it better. */
function rethrow(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  throw new Error(text.replace(/, \w+ '.*$/s, ''), { cause: error });
}
