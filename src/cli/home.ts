/** A workspace that holds the home folder, which is said before anything is read. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { isBelow } from '../sandbox/index.ts';
import type { Session } from './session.ts';

export function warnOfHome(workdir: string, screen: Session['screen']): void {
  if (holdsHome(workdir)) screen.line(WHOLE_HOME);
}

/** Whether the folder is the home folder, or one above it. */
function holdsHome(workdir: string): boolean {
  if (!isAbsolute(homedir())) return false;
  try {
    const [folder, home] = [workdir, homedir()].map((path) => realpathSync(path));
    return folder !== undefined && home !== undefined && (folder === home || isBelow(folder, home));
  } catch {
    // There is no home folder, so it is not here.
    return false;
  }
}

const WHOLE_HOME =
  'Warning: the workspace holds your whole home folder, so the model can read all of it, keys in .ssh and the like too. Name a folder of the work: --workdir DIR.';
