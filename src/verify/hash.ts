import { hashOf } from '../facts/hash.ts';

/** Whether `hash` is that of `value`. Half a character has no hash; that it is there is said by invariant 7. */
export function isHashOf(hash: string, value: unknown): boolean {
  try {
    return hashOf(value) === hash;
  } catch {
    return true;
  }
}
