/** What tools may see, and whether a path leads there. Only texts are compared here. */
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { reasonOf } from './system-errors.ts';

/** Folder of the journals. It is never visible to tools. */
const STATE_FOLDER = '.turnstile';

/** No system opens longer ones. Looking for the nearest folder of one that is far longer would take minutes. */
export const MAX_PATH_BYTES = 4_096;

export interface Visible {
  readonly workdir: string;
  /** Folders that tools may not see all the same. */
  readonly hidden: readonly string[];
}

/** The same with real paths. */
export interface Place {
  readonly root: string;
  readonly hidden: readonly string[];
}

export type Refused = 'outside' | 'state_folder';

/** What can be said of a path before anything is looked at. */
export type Wanted =
  | { readonly kind: 'path'; readonly place: Place; readonly path: string }
  | { readonly kind: Refused | 'nul_byte' | 'blank' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * The path that a tool was given, absolute, where it stays in the workspace by its text alone: nothing outside is touched,
 * not even to see whether it is there.
 */
export async function wantedIn(visible: Visible, path: string): Promise<Wanted> {
  if (path.trim() === '') return { kind: 'blank' };
  if (path.includes('\0')) return { kind: 'nul_byte' };
  const place = await placeOf(visible);
  const wanted = fromRoot(place.root, resolve(visible.workdir), resolve(place.root, path));
  const refused = refusalAt(place, wanted);
  if (refused !== null) return { kind: refused };
  if (Buffer.byteLength(wanted) > MAX_PATH_BYTES) {
    return { kind: 'unreadable', reason: reasonOf('ENAMETOOLONG') };
  }
  return { kind: 'path', place, path: wanted };
}

/** Why nothing is told of this path, if so. */
export function refusalAt({ root, hidden }: Place, path: string): Refused | null {
  if (!isInside(root, path)) return 'outside';
  const isState = relative(root, path).split(sep).includes(STATE_FOLDER);
  return isState || hidden.some((folder) => isInside(folder, path)) ? 'state_folder' : null;
}

export async function placeOf({ workdir, hidden }: Visible): Promise<Place> {
  return {
    root: await realpath(workdir),
    hidden: await Promise.all(hidden.map((folder) => realpath(folder).catch(() => folder))),
  };
}

/** A workspace that is itself a link has two absolute spellings; one is enough from here on. */
export const fromRoot = (root: string, workdir: string, path: string): string =>
  isInside(workdir, path) ? join(root, relative(workdir, path)) : path;

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
