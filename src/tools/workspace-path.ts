/** Opening files of the workspace, and only of it. All file tools go through here. */
import type { Stats } from 'node:fs';
import { readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { entriesOf, openPinned, pin, type Pinned } from './pin.ts';
import { refusalAt, wantedIn, type Place, type Refused, type Visible } from './place.ts';
import { codeOf, reasonOf } from './system-errors.ts';

/** As many links in a row as Linux follows. */
const MAX_LINKS = 40;

export type Opened = OpenedFile | NotOpened;

interface OpenedFile {
  readonly kind: 'file';
  readonly file: FileHandle;
  readonly stats: Stats;
  /** Where it really is. */
  readonly real: string;
}

export type NotOpened =
  | { readonly kind: Refused | 'nul_byte' | 'blank' | 'hard_link' }
  | { readonly kind: 'missing'; readonly folder: string; readonly names: readonly string[] }
  | { readonly kind: 'folder'; readonly names: readonly string[]; readonly real: string }
  | { readonly kind: 'special'; readonly type: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Opens a regular file for reading. What was opened is judged, not the path: a link that is swapped in between does not
 * matter. Links that stay inside work. A file with a second name is refused, since that name may be outside.
 */
export async function openInWorkspace(visible: Visible, path: string): Promise<Opened> {
  const wanted = await wantedIn(visible, path);
  return wanted.kind === 'path' ? openOrExplain(wanted.place, wanted.path) : wanted;
}

async function openOrExplain(place: Place, path: string): Promise<Opened> {
  try {
    return await openAt(place, path);
  } catch (error) {
    return explain(place, path, error);
  }
}

/** Links are followed: where they led to is what is looked at. */
export async function openAt(place: Place, path: string): Promise<Opened> {
  const pinned = await pin(path, { follows: true });
  try {
    return await judge(place, pinned);
  } finally {
    await pinned.close();
  }
}

async function judge(place: Place, pinned: Pinned): Promise<Opened> {
  const { real, stats } = pinned;
  if (real === null) return { kind: 'outside' };
  const refused = refusalAt(place, real);
  if (refused !== null) return { kind: refused };
  if (stats.isDirectory()) return folderOf(place, real, pinned);
  if (!stats.isFile()) return { kind: 'special', type: typeOf(stats) };
  if (!pinned.isAlone) return { kind: 'hard_link' };
  const file = await openPinned(pinned);
  return file === null ? { kind: 'outside' } : { kind: 'file', file, stats, real };
}

function typeOf(stats: Stats): string {
  if (stats.isFIFO()) return 'pipe';
  if (stats.isSocket()) return 'socket';
  return 'device';
}

/** With its names, in order. */
async function folderOf(place: Place, real: string, pinned: Pinned): Promise<Opened> {
  const entries = await entriesOf(pinned);
  if (entries === null) return { kind: 'outside' };
  const names = entries
    .filter(({ name }) => refusalAt(place, join(real, name)) === null)
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted();
  return { kind: 'folder', names, real };
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
  const isFolder = await stat(nearest).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  const folder = isFolder ? nearest : dirname(nearest);
  return { kind: 'missing', folder: relative(place.root, folder), names: await listed(place, folder) };
}

/** The real path of as much of the way as exists; a link that leads to nothing is followed to there. */
export async function nearestReal(path: string, links = MAX_LINKS): Promise<string> {
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
