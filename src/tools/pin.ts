/**
 * Looks a path up once and holds on to what it led to. What is judged is then what is used, whatever is done to the names
 * on the way meanwhile.
 */
import { constants, type Dirent, type Stats } from 'node:fs';
import { lstat, open, readdir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';

export interface Pinned {
  readonly stats: Stats;
  /** No other name leads to it: a file that has one may belong to a folder elsewhere. */
  readonly isAlone: boolean;
  /** Where it really is; null when that cannot be said for sure. */
  readonly real: string | null;
  /** Leads to this very thing. On systems whose descriptors have no path: to what has its name by now. */
  readonly path: string;
  readonly close: () => Promise<void>;
}

/**
 * @param options.follows whether a link at the end of the path is followed; one that is not is pinned itself
 * @throws what the system says
 */
export const pin = (path: string, options: { readonly follows: boolean }): Promise<Pinned> =>
  process.platform === 'linux' ? pinByDescriptor(path, options) : pinByName(path, options);

/** Opens what was pinned; null when that is no longer what has the name. */
export async function openPinned({ path, stats }: Pinned): Promise<FileHandle | null> {
  // The path of a descriptor is a link itself.
  const noFollow = process.platform === 'linux' ? 0 : constants.O_NOFOLLOW;
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
  try {
    if (isSame(await file.stat(), stats)) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return null;
}

/** What is in a pinned folder; null when it is no longer what has the name. */
export async function entriesOf({ path, stats }: Pinned): Promise<readonly Dirent[] | null> {
  const entries = await readdir(path, { withFileTypes: true });
  return isSame(await stat(path), stats) ? entries : null;
}

const isSame = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev;

/**
 * Linux only: the descriptor stands for a place, and nothing is opened. No pipe waits for a writer, no device notices,
 * whatever the path leads to. Node has no name for it.
 */
const O_PATH = 0o10000000;

async function pinByDescriptor(path: string, { follows }: { readonly follows: boolean }): Promise<Pinned> {
  const place = await open(path, O_PATH | (follows ? 0 : constants.O_NOFOLLOW));
  try {
    const own = `/proc/self/fd/${place.fd}`;
    // In this order: a name that still leads to it afterwards was counted.
    const stats = await place.stat();
    const real = await readlink(own);
    // Whose own name is gone has no other one only if it has none at all. Of a file that is really called so, this is not
    // known; it is taken for one that is gone.
    const isGone = real.endsWith(' (deleted)');
    const isAlone = stats.nlink <= 1 && (!isGone || (await place.stat()).nlink === 0);
    // What is in no folder, as a mount that was taken away, has a name that is no path.
    return { stats, isAlone, real: isAbsolute(real) ? real : null, path: own, close: () => place.close() };
  } catch (error) {
    await place.close();
    throw error;
  }
}

/**
 * Elsewhere a descriptor does not tell where it is. Its path is resolved once more when it is open, and has to lead to the
 * same thing. A path that is swapped back and forth between these steps could still deceive.
 */
async function pinByName(path: string, { follows }: { readonly follows: boolean }): Promise<Pinned> {
  const resolved = (): Promise<string> => realOf(path, follows);
  const real = await resolved();
  const before = await lstat(real);
  // Opening a pipe would wait for its writer, and opening a device may have effects of its own.
  if (!before.isFile() && !before.isDirectory())
    return { stats: before, isAlone: true, real, path: real, close: nothing };
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = await file.stat();
    const again = await resolved();
    const now = await stat(again);
    const isAlone = stats.nlink <= 1 && now.nlink <= 1;
    return {
      stats,
      isAlone,
      real: isSame(now, stats) ? again : null,
      path: again,
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const nothing = (): Promise<void> => Promise.resolve();

const realOf = async (path: string, follows: boolean): Promise<string> =>
  follows ? realpath(path) : join(await realpath(dirname(path)), basename(path));
