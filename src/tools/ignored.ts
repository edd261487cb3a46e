/** What `.gitignore` files leave out, as git does it. */
import ignore, { type Ignore } from 'ignore';
import { join } from 'node:path';
import type { Place } from './place.ts';
import { openAt } from './workspace-path.ts';

/** Rules of one folder. Ways are from the root of the workspace, with `/`; the root itself is ``. */
interface FolderRules {
  readonly folder: string;
  readonly rules: Ignore;
}

/** Rules of a folder and of all above it, the deepest last. */
export type IgnoreRules = readonly FolderRules[];

/** @param way of an entry; that of a folder ends with `/` */
export function isIgnored(all: IgnoreRules, way: string): boolean {
  // The nearest file has the last word.
  for (const { folder, rules } of all.toReversed()) {
    const { ignored, unignored } = rules.test(folder === '' ? way : way.slice(folder.length + 1));
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** The rules that hold in a folder, where `above` hold around it. */
export async function rulesIn(place: Place, folder: string, above: IgnoreRules): Promise<IgnoreRules> {
  const text = await textOf(place, join(place.root, folder, '.gitignore'));
  return text === null ? above : [...above, { folder, rules: ignore({ ignorecase: false }).add(text) }];
}

/** More than this no such file needs. */
const MAX_BYTES = 64 * 1024;

async function textOf(place: Place, path: string): Promise<string | null> {
  const opened = await openAt(place, path).catch(() => null);
  if (opened?.kind !== 'file') return null;
  try {
    const { buffer, bytesRead } = await opened.file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await opened.file.close();
  }
}
