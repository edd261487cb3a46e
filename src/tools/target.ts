/** The file that a tool is to write, found with the same care as one that is read. */
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Stats } from 'node:fs';
import { isThere } from './link.ts';
import { pin } from './pin.ts';
import { refusalAt, wantedIn, type Place, type Visible } from './place.ts';
import { protectedIn } from './protected.ts';
import { codeOf, reasonOf } from './system-errors.ts';
import { openInWorkspace, type NotOpened } from './workspace-path.ts';
import { exactTextOf } from './read-text.ts';

export interface Target {
  readonly kind: 'target';
  readonly place: Place;
  /** Real path of it, be it there or not. */
  readonly path: string;
  /** What is there now. */
  readonly before: Before | null;
}

interface Before {
  /** Null when it is no text, or too large to be looked at. */
  readonly text: string | null;
  readonly stats: Stats;
}

export type NoTarget =
  | Exclude<NotOpened, { readonly kind: 'missing' }>
  | { readonly kind: 'protected'; readonly name: string }
  | { readonly kind: 'broken_link' | 'below_file' };

/** Folders on the way need not be there. A link to a file that is there stays, and its target is meant. */
export async function targetOf(visible: Visible, path: string, maxBytes: number): Promise<Target | NoTarget> {
  const wanted = await wantedIn(visible, path);
  if (wanted.kind !== 'path') return wanted;
  const { place } = wanted;
  const found = await findAt(visible, path, wanted.path, place, maxBytes);
  const name =
    protectedAt(place, wanted.path) ?? (found.kind === 'target' ? protectedAt(place, found.path) : null);
  return name === null ? found : { kind: 'protected', name };
}

const protectedAt = ({ root }: Place, path: string): string | null =>
  protectedIn(relative(root, path).split(sep).join('/'));

async function findAt(
  visible: Visible,
  path: string,
  wanted: string,
  place: Place,
  maxBytes: number,
): Promise<Target | NoTarget> {
  const opened = await openInWorkspace(visible, path);
  if (opened.kind === 'missing') return newTarget(place, wanted);
  if (opened.kind !== 'file') return opened;
  try {
    const text = await exactTextOf(opened.file, opened.stats.size, maxBytes);
    return { kind: 'target', place, path: opened.real, before: { text, stats: opened.stats } };
  } finally {
    await opened.file.close();
  }
}

async function newTarget(place: Place, path: string): Promise<Target | NoTarget> {
  const real = await newPath(place, path);
  return typeof real === 'string' ? { kind: 'target', place, path: real, before: null } : real;
}

/** The real path that something would have that is not there yet. */
async function newPath(place: Place, path: string): Promise<string | NoTarget> {
  // A link, since what it leads to is not there.
  if (await isThere(path)) return { kind: 'broken_link' };
  const folder = await folderAt(place, dirname(path));
  return typeof folder === 'string' ? join(folder, basename(path)) : folder;
}

async function folderAt(place: Place, path: string): Promise<string | NoTarget> {
  try {
    const { real, stats, close } = await pin(path, { follows: true });
    await close();
    const refused = real === null ? 'outside' : refusalAt(place, real);
    if (real === null || refused !== null) return { kind: refused ?? 'outside' };
    return stats.isDirectory() ? real : { kind: 'below_file' };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return newPath(place, path);
    if (code === 'ENOTDIR') return { kind: 'below_file' };
    if (code === null) throw error;
    return { kind: 'unreadable', reason: reasonOf(code) };
  }
}
