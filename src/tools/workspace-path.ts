/** Opening files of the workspace, and only of it. All file tools go through here. */
import { constants, type Stats } from 'node:fs';
import { open, readdir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** Folder of the journals. It is never visible to tools. */
const STATE_FOLDER = '.turnstile';

/** What tools may see. */
interface Visible {
  readonly workdir: string;
  /** Folders that they may not see all the same. */
  readonly hidden: readonly string[];
}

/** The same with real paths. */
interface Place {
  readonly root: string;
  readonly hidden: readonly string[];
}

export type Opened =
  | { readonly kind: 'file'; readonly file: FileHandle; readonly stats: Stats }
  | { readonly kind: 'outside' | 'state_folder' | 'nul_byte' | 'blank' }
  | { readonly kind: 'missing'; readonly folder: string; readonly names: readonly string[] }
  | { readonly kind: 'folder'; readonly names: readonly string[] }
  | { readonly kind: 'special'; readonly type: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Opens a regular file for reading. What was opened is judged, not the path: a link that is swapped in between does not
 * matter. Links that stay inside work. Hard links cannot be told from files, so they are allowed.
 */
export async function openInWorkspace({ workdir, hidden }: Visible, path: string): Promise<Opened> {
  if (path.trim() === '') return { kind: 'blank' };
  if (path.includes('\0')) return { kind: 'nul_byte' };
  const root = await realpath(workdir);
  const place = {
    root,
    hidden: await Promise.all(hidden.map((folder) => realpath(folder).catch(() => folder))),
  };
  const wanted = resolve(root, path);
  // By its text alone: nothing outside is touched, not even to see whether it is there.
  if (!isInside(root, wanted) && !isInside(resolve(workdir), wanted)) return { kind: 'outside' };
  try {
    return await openAt(place, wanted);
  } catch (error) {
    return explain(place, wanted, codeOf(error));
  }
}

async function openAt(place: Place, path: string): Promise<Opened> {
  // Opening a pipe would wait for its writer, and opening a device may have effects of its own.
  const before = await stat(path);
  if (isSpecial(before)) return { kind: 'special', type: typeOf(before) };
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const opened = await judge(place, path, file);
    if (opened.kind !== 'file') await file.close();
    return opened;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function judge({ root, hidden }: Place, path: string, file: FileHandle): Promise<Opened> {
  const stats = await file.stat();
  const real = await realPathOf(file, path, stats);
  if (real === null || !isInside(root, real)) return { kind: 'outside' };
  if (isHidden({ root, hidden }, real)) return { kind: 'state_folder' };
  if (stats.isDirectory()) return { kind: 'folder', names: await namesIn({ root, hidden }, real) };
  return stats.isFile() ? { kind: 'file', file, stats } : { kind: 'special', type: typeOf(stats) };
}

/** Where the opened file really is; null when that cannot be said for sure. */
async function realPathOf(file: FileHandle, path: string, stats: Stats): Promise<string | null> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${file.fd}`);
  const real = await realpath(path);
  const now = await stat(real);
  return now.ino === stats.ino && now.dev === stats.dev ? real : null;
}

const isHidden = ({ root, hidden }: Place, real: string): boolean =>
  relative(root, real).split(sep).includes(STATE_FOLDER) || hidden.some((folder) => isInside(folder, real));

const isInside = (root: string, path: string): boolean => path === root || path.startsWith(root + sep);

async function explain(place: Place, path: string, code: string): Promise<Opened> {
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const twin = await canonicalTwin(place.root, path);
    if (twin !== null) return openAt(place, twin);
    return { kind: 'missing', ...(await nearest(place, path)) };
  }
  return { kind: 'unreadable', reason: reasonOf(code) };
}

/** The one file whose name is the same text in another Unicode form (a decomposed name on disk), if there is one. */
async function canonicalTwin(root: string, path: string): Promise<string | null> {
  const folder = dirname(path);
  const wanted = basename(path).normalize('NFC');
  const twins = (await listed(root, folder)).filter(
    (name) => name !== basename(path) && name.normalize('NFC') === wanted,
  );
  return twins.length === 1 && twins[0] !== undefined ? join(folder, twins[0]) : null;
}

/** The closest folder on the way that exists, and what is in it. */
async function nearest(
  place: Place,
  path: string,
): Promise<{ readonly folder: string; readonly names: readonly string[] }> {
  const { root } = place;
  let folder = dirname(path);
  while (isInside(root, folder) && folder !== root && (await realFolder(root, folder)) === null) {
    folder = dirname(folder);
  }
  return { folder: relative(root, folder), names: await namesInside(place, folder) };
}

async function realFolder(root: string, folder: string): Promise<string | null> {
  const real = await realpath(folder).catch(() => null);
  return real !== null && isInside(root, real) ? real : null;
}

/** Names in a folder that is really inside; nothing of what is outside is told. */
async function listed(root: string, folder: string): Promise<readonly string[]> {
  const real = await realFolder(root, folder);
  return real === null ? [] : readdir(real).catch(() => []);
}

async function namesInside(place: Place, folder: string): Promise<readonly string[]> {
  const real = await realFolder(place.root, folder);
  return real === null ? [] : namesIn(place, real).catch(() => []);
}

async function namesIn(place: Place, folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter(({ name }) => !isHidden(place, join(folder, name)))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted();
}

const isSpecial = (stats: Stats): boolean => !stats.isFile() && !stats.isDirectory();

function typeOf(stats: Stats): string {
  if (stats.isFIFO()) return 'pipe';
  if (stats.isSocket()) return 'socket';
  return 'device';
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

/** Why the system refused, in words. */
export function reasonOf(code: string): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission was denied';
    case 'ELOOP':
      return 'its links lead in a circle';
    case 'ENAMETOOLONG':
      return 'its name is too long';
    default:
      return `the system says ${code}`;
  }
}
