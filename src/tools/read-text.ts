/** A small file of the workspace as one text. */
import type { FileHandle } from 'node:fs/promises';

export type WholeText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary' | 'large' };

/** A NUL among the first bytes is what git goes by, too. */
const LOOKED_AT = 8_000;

/** Bytes that are no UTF-8 become U+FFFD. What came to the file since it was opened is left out. */
export async function wholeTextOf(file: FileHandle, size: number, maxBytes: number): Promise<WholeText> {
  if (size > maxBytes) return { kind: 'large' };
  const bytes = await bytesOf(file, size);
  if (bytes.subarray(0, LOOKED_AT).includes(0)) return { kind: 'binary' };
  return { kind: 'text', text: new TextDecoder().decode(bytes) };
}

/** The text with its byte order mark, as it has to be written again; null when it is none, or larger than `maxBytes`. */
export async function exactTextOf(file: FileHandle, size: number, maxBytes: number): Promise<string | null> {
  if (size > maxBytes) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await bytesOf(file, size));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

async function bytesOf(file: FileHandle, size: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(buffer, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
