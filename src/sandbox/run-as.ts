/** Whom code runs as. */
import { existsSync, readFileSync } from 'node:fs';
import { UserError } from '../errors.ts';
import { NOBODY } from './system.ts';

/** Who this process is, and where. */
interface Here {
  readonly uid: number | null;
  readonly isContainer: boolean;
}

/**
 * Another uid for code whose caller is root; null where the caller's own will do.
 * @throws {UserError} for root on a machine of its own who has not said so
 */
export function uidForCode(
  isRootWanted: boolean,
  here: Here = { uid: process.getuid?.() ?? null, isContainer: isInContainer() },
): number | null {
  if (here.uid !== 0) return null;
  if (isRootWanted || here.isContainer) return NOBODY;
  throw new UserError(
    'This is root, and run_python would work as nobody in a sandbox that root has set up. Run it as another user, say that it is meant (--as-root, or TURNSTILE_AS_ROOT=1 in the environment), or leave the tool out (--tools read_file).',
  );
}

/** Root of a container is not root of the machine. */
function isInContainer(): boolean {
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) return true;
  return (
    /\bcontainer=/.test(read('/proc/1/environ')) ||
    /docker|kubepods|containerd|lxc|libpod/.test(read('/proc/1/cgroup'))
  );
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
