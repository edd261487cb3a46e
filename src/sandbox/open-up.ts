/** Folders that code has closed to everybody, its own user included. */
import { chmodSync, closeSync, constants, openSync, readlinkSync } from 'node:fs';
import { isBelow } from './system.ts';

const O_PATH = 0o10_000_000;

/**
 * Opens a folder to its owner again. By its descriptor: code may put a link in the place of the name, or of one above it.
 * @param within the real path of a folder; nothing outside is touched
 * @returns whether that was possible
 */
export function openUp(folder: string, within: string): boolean {
  try {
    const descriptor = openSync(folder, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY);
    try {
      const at = `/proc/self/fd/${descriptor}`;
      const isWithin = folder === within || isBelow(within, readlinkSync(at));
      if (isWithin) chmodSync(at, 0o700);
      return isWithin;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
}
