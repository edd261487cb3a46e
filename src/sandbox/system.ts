/** What of the system both sandboxes of Linux show, and where code keeps its own. */
import { join, relative } from 'node:path';
import type { Cell } from './types.ts';

/** Whom the code of root runs as, and what a caller is called inside: it owns nothing. */
export const NOBODY = 65_534;

export const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/libx32'];
export const SYSTEM_FILES = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime'];
/** What names are looked up with, and who is trusted. */
export const NETWORK_FILES = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/ssl'];

/** Whether a path lies in a folder, and is not the folder itself. */
export function isBelow(folder: string, path: string): boolean {
  const rest = relative(folder, path);
  return rest !== '' && rest !== '..' && !rest.startsWith('../');
}

/** Of code that has no file system of its own: the call's folder stands in for a home and for /tmp. */
export function environmentIn({ env, folder, scratch }: Cell): Cell['env'] {
  const own = join(folder, 'tmp');
  return { ...env, PATH: '/usr/bin:/bin', HOME: own, TMPDIR: own, SCRATCH: scratch };
}
