import { constants } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are missing, closed to other users.
 * Not with `recursive`: where a file system refuses new folders with ENOENT (`/proc`), Node then tries for ever.
 * @throws the error of the file system
 */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path);
  const above = dirname(folder);
  if (await isFolder(folder)) return;
  if (above !== folder) await makeFolder(above);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // Another run may have made it in the meantime.
    if (!(await isFolder(folder))) throw error;
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** A new file is in its folder for good once the folder is on the disk. Windows cannot do that, and need not. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
