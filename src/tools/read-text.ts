/** A small file of the workspace as one text. */
import type { FileHandle } from 'node:fs/promises';

export type WholeText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary' | 'large' };

/** A NUL among the first bytes is what git goes by, too. */
const LOOKED_AT = 8_000;

/** Bytes that are no UTF-8 become U+FFFD. At most `maxBytes` are read, however large the file says it is. */
export async function wholeTextOf(file: FileHandle, size: number, maxBytes: number): Promise<WholeText> {
  if (size > maxBytes) return { kind: 'large' };
  const buffer = Buffer.alloc(maxBytes < size + 1 ? maxBytes : size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) break;
  }
  const bytes = buffer.subarray(0, length);
  if (bytes.subarray(0, LOOKED_AT).includes(0)) return { kind: 'binary' };
  return { kind: 'text', text: new TextDecoder().decode(bytes) };
}
