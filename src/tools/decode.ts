/** Bytes to text, piece by piece, without ever guessing: what is no UTF-8 is refused, with its place. */

export class NotUtf8Error extends Error {
  override readonly name = 'NotUtf8Error';
  /** Where the first character that is none starts, in bytes from the start of the file. */
  readonly offset: number;

  constructor(offset: number) {
    super(`Byte ${offset} is not UTF-8.`);
    this.offset = offset;
  }
}

/**
 * Whole characters only; a byte order mark at the start is left out. A chunk may be overwritten once the next is asked for.
 * @throws {NotUtf8Error}
 */
export async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let offset = 0;
  /** The start of a character whose end is in the next chunk. */
  let pending = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([pending, chunk]);
    const text = wholeCharacters(bytes);
    if (text === null) throw new NotUtf8Error(offset + decodableLength(bytes));
    yield offset === 0 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    const used = Buffer.byteLength(text);
    offset += used;
    pending = bytes.subarray(used);
  }
  if (pending.length > 0) throw new NotUtf8Error(offset);
}

/**
 * The start of a text, as many whole characters as fit.
 * @param maxBytes in UTF-8
 */
export const cutToBytes = (text: string, maxBytes: number): string =>
  wholeCharacters(Buffer.from(text).subarray(0, maxBytes)) ?? '';

const BYTE_ORDER_MARK = '\uFEFF';

/** Leaves out a last character that is only begun; null when the bytes are no text. */
function wholeCharacters(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/** Bytes of the longest start that is text: searched by halves, since a start of text is text. */
function decodableLength(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (wholeCharacters(bytes.subarray(0, middle)) === null) high = middle - 1;
    else low = middle;
  }
  return Buffer.byteLength(wholeCharacters(bytes.subarray(0, low)) ?? '');
}
