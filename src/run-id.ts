import { randomBytes } from 'node:crypto';

/** No letters that read like digits, and no vowels that make words. */
const ALPHABET = '23456789bcdfghjkmnpqrstvwxz';
const LENGTH = 8;

/** A short id that a person can type; 27^8 of them (about 3e11). */
export function newRunId(): string {
  let id = '';
  while (id.length < LENGTH) {
    for (const byte of randomBytes(LENGTH)) {
      // Bytes above the largest multiple would make some letters likelier than others.
      if (byte < ALPHABET.length * Math.floor(256 / ALPHABET.length) && id.length < LENGTH) {
        id += ALPHABET[byte % ALPHABET.length];
      }
    }
  }
  return id;
}
