/** All that is below a folder of the workspace, folder by folder, each read from its own descriptor. */
import type { Dirent } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isIgnored, rulesIn, type IgnoreRules } from './ignored.ts';
import { entriesOf, pin } from './pin.ts';
import { refusalAt, type Place } from './place.ts';
import { codeOf } from './system-errors.ts';

export interface Found {
  /** From the root of the workspace, with `/` between names; that of a folder ends with one. */
  readonly way: string;
  /** `ignored`: by a `.gitignore`; nothing below it is looked at. `unreadable`: a folder that the system does not show. */
  readonly kind: 'file' | 'folder' | 'link' | 'special' | 'ignored' | 'unreadable';
}

export interface WalkOptions {
  readonly place: Place;
  readonly signal: AbortSignal;
  /** What `.gitignore` files leave out is not left out. */
  readonly withIgnored: boolean;
  /** Folders to go down at most; 0 is the first one alone. */
  readonly depth: number;
}

/** Git's own folder is large, and none of its files is for reading. */
const NEVER = '.git';

/**
 * In the order of the names. Links are told of and not followed; what tools may not see is left out. A folder that is
 * swapped meanwhile is as good as gone.
 * @param start real path of a folder
 */
export async function* walk(start: string, options: WalkOptions): AsyncGenerator<Found> {
  const way = relative(options.place.root, start).split(sep).join('/');
  const rules = options.withIgnored ? null : await rulesAbove(options.place, way);
  yield* below(way, { ...options, rules });
}

interface Below extends WalkOptions {
  /** Null: nothing is ignored. */
  readonly rules: IgnoreRules | null;
}

async function* below(folder: string, options: Below): AsyncGenerator<Found> {
  const { place, signal, depth } = options;
  const entries = await entriesAt(place, folder);
  if (entries === null) yield { way: `${folder}/`, kind: 'unreadable' };
  const rules = options.rules === null ? null : await rulesIn(place, folder, options.rules);
  for (const entry of entries ?? []) {
    signal.throwIfAborted();
    const way = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.name === NEVER || refusalAt(place, join(place.root, way)) !== null) continue;
    const shown = entry.isDirectory() ? `${way}/` : way;
    if (rules !== null && isIgnored(rules, shown)) yield { way: shown, kind: 'ignored' };
    else {
      yield { way: shown, kind: kindOf(entry) };
      if (entry.isDirectory() && depth > 0) yield* below(way, { ...options, rules, depth: depth - 1 });
    }
  }
}

function kindOf(entry: Dirent): Found['kind'] {
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFile() ? 'file' : 'special';
}

/** In order; null when they cannot be read. */
async function entriesAt({ root }: Place, way: string): Promise<readonly Dirent[] | null> {
  const path = join(root, way);
  try {
    const pinned = await pin(path, { follows: false });
    try {
      // Only what is where it seems to be: a folder on the way may have become a link.
      if (pinned.real !== path || !pinned.stats.isDirectory()) return [];
      const entries = (await entriesOf(pinned)) ?? [];
      return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    } finally {
      await pinned.close();
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    return code === 'EACCES' || code === 'EPERM' ? null : [];
  }
}

/** The rules that hold around a folder; null where it is ignored itself: whoever names it wants to see it. */
async function rulesAbove(place: Place, way: string): Promise<IgnoreRules | null> {
  let rules: IgnoreRules = [];
  let folder = '';
  for (const name of way === '' ? [] : way.split('/')) {
    rules = await rulesIn(place, folder, rules);
    folder = folder === '' ? name : `${folder}/${name}`;
    if (isIgnored(rules, `${folder}/`)) return null;
  }
  return rules;
}
