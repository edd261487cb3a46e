/** Opening files of the workspace, and only of it. All file tools go through here. */
import { constants, type Stats } from 'node:fs';
import { open, readdir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Folder of the journals. It is never visible to tools. */
const STATE_FOLDER = '.turnstile';

/** No system opens longer ones. Looking for the nearest folder of one that is far longer would take minutes. */
const MAX_PATH_BYTES = 4_096;

/** As many links in a row as Linux follows. */
const MAX_LINKS = 40;

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
  const wanted = fromRoot(root, resolve(workdir), resolve(root, path));
  // By its text alone: nothing outside is touched, not even to see whether it is there.
  const refused = refusalAt(place, wanted);
  if (refused !== null) return { kind: refused };
  if (Buffer.byteLength(wanted) > MAX_PATH_BYTES) {
    return { kind: 'unreadable', reason: reasonOf('ENAMETOOLONG') };
  }
  return openOrExplain(place, wanted);
}

/** A workspace that is itself a link has two absolute spellings; one is enough from here on. */
const fromRoot = (root: string, workdir: string, path: string): string =>
  isInside(workdir, path) ? join(root, relative(workdir, path)) : path;

/** Why nothing is told of this path, if so. */
function refusalAt({ root, hidden }: Place, path: string): 'outside' | 'state_folder' | null {
  if (!isInside(root, path)) return 'outside';
  const isState = relative(root, path).split(sep).includes(STATE_FOLDER);
  return isState || hidden.some((folder) => isInside(folder, path)) ? 'state_folder' : null;
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function openOrExplain(place: Place, path: string): Promise<Opened> {
  try {
    return await openAt(place, path);
  } catch (error) {
    return explain(place, path, error);
  }
}

async function openAt(place: Place, path: string): Promise<Opened> {
  // Opening a pipe would wait for its writer, and opening a device may have effects of its own.
  const before = await stat(path);
  if (isSpecial(before)) return special(place, await realpath(path), before);
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

const isSpecial = (stats: Stats): boolean => !stats.isFile() && !stats.isDirectory();

function special(place: Place, real: string, stats: Stats): Opened {
  const refused = refusalAt(place, real);
  return refused === null ? { kind: 'special', type: typeOf(stats) } : { kind: refused };
}

function typeOf(stats: Stats): string {
  if (stats.isFIFO()) return 'pipe';
  if (stats.isSocket()) return 'socket';
  return 'device';
}

async function judge(place: Place, path: string, file: FileHandle): Promise<Opened> {
  const stats = await file.stat();
  const real = await realPathOf(file, path, stats);
  if (real === null) return { kind: 'outside' };
  if (isSpecial(stats)) return special(place, real, stats);
  const refused = refusalAt(place, real);
  if (refused !== null) return { kind: refused };
  return stats.isFile()
    ? { kind: 'file', file, stats }
    : { kind: 'folder', names: await namesIn(place, real, file) };
}

/** Where the opened file really is; null when that cannot be said for sure. */
async function realPathOf(file: FileHandle, path: string, stats: Stats): Promise<string | null> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${file.fd}`);
  const real = await realpath(path);
  const now = await stat(real);
  return now.ino === stats.ino && now.dev === stats.dev ? real : null;
}

/** Names in an opened folder, in order. */
async function namesIn(place: Place, real: string, folder: FileHandle): Promise<readonly string[]> {
  const path = process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : real;
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter(({ name }) => refusalAt(place, join(real, name)) === null)
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted();
}

/** Nothing is told of what is outside: not even whether it is there. */
async function explain(place: Place, path: string, error: unknown): Promise<Opened> {
  const code = codeOf(error);
  if (code === null) throw error;
  const nearest = await nearestReal(path);
  const refused = refusalAt(place, nearest);
  if (refused !== null) return { kind: refused };
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return { kind: 'unreadable', reason: reasonOf(code) };
  const twin = await canonicalTwin(place, path);
  if (twin !== null) return openOrExplain(place, twin);
  const folder = (await stat(nearest)).isDirectory() ? nearest : dirname(nearest);
  return { kind: 'missing', folder: relative(place.root, folder), names: await listed(place, folder) };
}

/** The real path of as much of the way as exists; a link that leads to nothing is followed to there. */
async function nearestReal(path: string, links = MAX_LINKS): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null) return real;
  const folder = await nearestReal(dirname(path), links);
  const target = links === 0 ? null : await readlink(path).catch(() => null);
  return target === null ? folder : nearestReal(resolve(folder, target), links - 1);
}

/**
 * The one path that is the same text in another Unicode form, if there is one: names on disk may be decomposed, what a
 * model writes is composed.
 */
async function canonicalTwin(place: Place, path: string): Promise<string | null> {
  let twin = place.root;
  for (const name of relative(place.root, path).split(sep)) {
    const names = (await listed(place, twin)).map((entry) => entry.replace(/\/$/, ''));
    const same = names.includes(name)
      ? [name]
      : names.filter((other) => other.normalize('NFC') === name.normalize('NFC'));
    if (same.length !== 1) return null;
    twin = join(twin, ...same);
  }
  return twin === path ? null : twin;
}

async function listed(place: Place, folder: string): Promise<readonly string[]> {
  const opened = await openAt(place, folder).catch(() => null);
  if (opened?.kind === 'file') await opened.file.close();
  return opened?.kind === 'folder' ? opened.names : [];
}

/** The system's name of an error, such as `ENOENT`; null for errors that are not the system's. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

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
