import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** SHA-256 (hex) of a JSON value in canonical form (RFC 8785): equal values have equal hashes, whatever their key order. */
export const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(canonicalize(value) ?? 'null')
    .digest('hex');

/** The value is one that JSON can say, in well-formed Unicode. */
export function isHashable(value: unknown): boolean {
  try {
    hashOf(value);
    return true;
  } catch {
    return false;
  }
}
