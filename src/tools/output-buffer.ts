/**
 * What a process wrote to one stream, in bounded memory: the first and the last bytes, with constant work per byte.
 * Bytes are decoded when they are asked for, so that no character breaks where a chunk ends.
 */
export class OutputBuffer {
  readonly #head: Buffer;
  /** A ring: byte `n` of what follows the head is at `n % length`. */
  readonly #tail: Buffer;
  #size = 0;

  /** @param maxBytes what is kept; the first half is head, the rest tail */
  constructor(maxBytes: number) {
    this.#head = Buffer.alloc(Math.floor(maxBytes / 2));
    this.#tail = Buffer.alloc(Math.ceil(maxBytes / 2));
  }

  /** Bytes written so far, kept or not. */
  get size(): number {
    return this.#size;
  }

  append(chunk: Buffer): void {
    const toHead = chunk.copy(this.#head, Math.min(this.#size, this.#head.length));
    const rest = chunk.subarray(toHead);
    const kept = rest.subarray(Math.max(0, rest.length - this.#tail.length));
    this.#size += chunk.length;
    if (kept.length > 0) this.#appendToTail(kept);
  }

  /**
   * The text, valid UTF-8 whole, in at most `maxBytes` bytes (never more than what is kept). Of longer text the middle
   * is left out, at the boundaries of characters.
   */
  text(maxBytes: number): CutText {
    const kept = this.#kept();
    if (this.#size <= maxBytes && kept.length === this.#size)
      return { head: decode(kept), dropped: 0, tail: '' };
    const limit = Math.min(maxBytes, kept.length);
    const head = withoutBrokenEnd(kept.subarray(0, Math.floor(limit / 2)));
    const tail = withoutBrokenStart(kept.subarray(kept.length - Math.ceil(limit / 2)));
    return { head: decode(head), dropped: this.#size - head.length - tail.length, tail: decode(tail) };
  }

  /** `kept` ends at byte `#size` and is no longer than the ring. */
  #appendToTail(kept: Buffer): void {
    const start = (this.#size - kept.length - this.#head.length) % this.#tail.length;
    const toEnd = kept.copy(this.#tail, start);
    kept.copy(this.#tail, 0, toEnd);
  }

  #kept(): Buffer {
    const behindHead = this.#size - this.#head.length;
    if (behindHead <= 0) return this.#head.subarray(0, this.#size);
    if (behindHead <= this.#tail.length)
      return Buffer.concat([this.#head, this.#tail.subarray(0, behindHead)]);
    const oldest = behindHead % this.#tail.length;
    return Buffer.concat([this.#head, this.#tail.subarray(oldest), this.#tail.subarray(0, oldest)]);
  }
}

export interface CutText {
  readonly head: string;
  /** Bytes left out between head and tail. 0: `head` is all. */
  readonly dropped: number;
  readonly tail: string;
}

const LONGEST_CHARACTER = 4;

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;

/** Bytes of the character that starts with `lead`. */
function characterLength(lead: number): number {
  if (lead >= 0b1111_0000) return 4;
  if (lead >= 0b1110_0000) return 3;
  return lead >= 0b1100_0000 ? 2 : 1;
}

function withoutBrokenEnd(bytes: Buffer): Buffer {
  const first = Math.max(0, bytes.length - LONGEST_CHARACTER);
  for (let index = bytes.length - 1; index >= first; index--) {
    if (isContinuation(bytes[index])) continue;
    const isWhole = index + characterLength(bytes[index] ?? 0) <= bytes.length;
    return isWhole ? bytes : bytes.subarray(0, index);
  }
  return bytes;
}

function withoutBrokenStart(bytes: Buffer): Buffer {
  const start = [0, 1, 2, 3].find((index) => !isContinuation(bytes[index])) ?? 0;
  return bytes.subarray(start);
}

/** Bytes that are no UTF-8 become U+FFFD; a byte order mark stays. */
const decode = (bytes: Buffer): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
