import { opendirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from './errors.ts';
import { visible } from './text/visible.ts';

/**
 * The folder that tools see, absolute.
 * @param as name of the option that says it
 * @throws {UserError} when it is not there, no folder, or cannot be read
 */
export function folderOf(path: string, as: string): string {
  const folder = resolve(path);
  const fault = faultOf(folder);
  if (fault === null) return folder;
  throw new UserError(`${as}: ${visible(path)} ${fault}.`);
}

function faultOf(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return 'is no folder';
    // Its names can be listed, and what they name can be reached.
    opendirSync(folder).closeSync();
    statSync(`${folder}/.`);
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'is not there' : `cannot be read (${String(code)})`;
  }
}
