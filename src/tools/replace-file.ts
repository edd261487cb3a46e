/** Writing a file of the workspace as a whole: readers see the old one or the new one, and nothing outside is touched. */
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pin, type Pinned } from './pin.ts';
import { refusalAt, type Place } from './place.ts';
import { codeOf } from './system-errors.ts';
import type { Target } from './target.ts';

/** Something else happened to the file, or to a folder on the way, since it was looked at. Nothing was written. */
export class ChangedError extends Error {
  override readonly name = 'ChangedError';
}

/**
 * Replaces the target, or makes it and the folders on the way. Works from the folder's own descriptor: a link that takes
 * its place meanwhile leads nowhere. Mode and owner stay.
 * @throws {ChangedError}
 * @throws what the system says; nothing is left behind then but new folders
 */
export async function replaceFile({ place, path, before }: Target, text: string): Promise<void> {
  const folder = await folderFor(place, dirname(path));
  try {
    const temporary = join(folder.path, `.turnstile-${randomBytes(6).toString('hex')}.tmp`);
    const target = join(folder.path, basename(path));
    try {
      await writeNew(temporary, text, before?.stats ?? null);
      await checkUnchanged(target, before?.stats ?? null);
      // Its folder would allow it all the same.
      if (before !== null) await access(target, constants.W_OK);
      // What has the name is replaced, and never followed.
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  } finally {
    await folder.close();
  }
}

/** The folder with this real path, made when it is not there. */
async function folderFor(place: Place, path: string): Promise<Pinned> {
  const there = await pinFolder(place, path);
  if (there !== null) return there;
  if (path === place.root) throw new ChangedError('The workspace is gone.');
  const above = await folderFor(place, dirname(path));
  try {
    await mkdir(join(above.path, basename(path))).catch(unlessThere);
  } finally {
    await above.close();
  }
  const made = await pinFolder(place, path);
  if (made === null) throw new ChangedError(`A folder on the way was removed.`);
  return made;
}

async function pinFolder(place: Place, path: string): Promise<Pinned | null> {
  const pinned = await pin(path, { follows: false }).catch(unlessMissing);
  if (pinned === null) return null;
  const { real, stats } = pinned;
  if (real === path && stats.isDirectory() && refusalAt(place, real) === null) return pinned;
  await pinned.close();
  throw new ChangedError('A folder on the way was swapped.');
}

async function writeNew(path: string, text: string, before: Stats | null): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, before === null ? 0o666 : 0o600);
  try {
    await file.writeFile(text);
    if (before !== null) await keepOwner(file, before);
    await file.sync();
  } finally {
    await file.close();
  }
}

const MODE_BITS = 0o777;

async function keepOwner(file: Awaited<ReturnType<typeof open>>, { mode, uid, gid }: Stats): Promise<void> {
  const own = await file.stat();
  // Only root may give files away; for others the file becomes theirs, as with most editors.
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode & MODE_BITS);
}

async function checkUnchanged(path: string, before: Stats | null): Promise<void> {
  const now = await lstat(path).catch(unlessMissing);
  const isSame =
    before === null || now === null
      ? before === now
      : now.ino === before.ino &&
        now.dev === before.dev &&
        now.size === before.size &&
        now.mtimeMs === before.mtimeMs;
  if (!isSame) throw new ChangedError('The file was changed.');
}

function unlessMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}
