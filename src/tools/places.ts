/** Where the path arguments of calls lead, for the rules. A rule is asked before a call runs: the tool looks again. */
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Places, Workspace } from '../rules/match.ts';
import { fromRoot, isInside, MAX_PATH_BYTES } from './place.ts';

/** As `openInWorkspace` reads paths: relative to the real folder, either spelling of a folder that is a link. */
export function workspaceAt(folder: string): Workspace {
  const workdir = resolve(folder);
  const root = realOf(workdir);
  return {
    placesOf: (path) => placesOf(path, workdir, root),
    isCaseBlind: isCaseBlind(root),
  };
}

function placesOf(path: string, workdir: string, root: string): Places {
  const wanted = fromRoot(root, workdir, resolve(root, path));
  // By its text alone: nothing outside is touched, not even to see where it leads.
  const paths = isInside(root, wanted) ? [...new Set([wanted, realOf(wanted)])] : [wanted];
  return {
    paths: paths.map((place) => nameOf(place, root)),
    isInside: paths.every((place) => isInside(root, place)),
  };
}

function nameOf(path: string, root: string): string {
  const name = isInside(root, path) ? relative(root, path) || '.' : path;
  return name.split(sep).join('/');
}

/** The real path of as much of the way as exists. */
function realOf(path: string): string {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return path;
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realOf(above), basename(path));
  }
}

/** Asks the file system, by another spelling of the folder's own name. */
function isCaseBlind(root: string): boolean {
  const swapped = [...basename(root)].map(otherCase).join('');
  if (swapped === basename(root)) return process.platform === 'darwin' || process.platform === 'win32';
  try {
    const [here, there] = [statSync(root), statSync(join(dirname(root), swapped))];
    return here.ino === there.ino && here.dev === there.dev;
  } catch {
    return false;
  }
}

const otherCase = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
