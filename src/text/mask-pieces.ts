/** Masking a text that comes in pieces: a secret may begin in one of them and end in a later one. */

export interface PieceMask {
  /** What can be passed on by now, masked. What may be the start of a secret is held back. */
  push(piece: string): string;
  /** The rest. `isCut`: the text was to go on, so that the start of a secret at its end is masked, too. */
  end(options: { readonly isCut: boolean }): string;
}

/** Shorter values are likely to occur by chance, and masking them would garble text without hiding anything. */
export const MIN_LENGTH = 8;

const MASK = '[redacted]';

/** Masks every occurrence of known values; those that overlap get one mask. Holds back less than the longest value. */
export class ValueMask implements PieceMask {
  readonly #values: readonly string[];
  readonly #longest: number;
  /** Held back: the start of a value, or nothing. */
  #held = '';
  /** So many characters of it belong to a mask that was passed on. */
  #covered = 0;

  /** @param values of `MIN_LENGTH` or more characters */
  constructor(values: readonly string[]) {
    this.#values = values;
    this.#longest = Math.max(0, ...values.map(({ length }) => length));
  }

  push(piece: string): string {
    const text = this.#held + piece;
    return this.#pass(text, text.length - this.#startedIn(text));
  }

  end({ isCut }: { readonly isCut: boolean }): string {
    const text = this.#held;
    const isMasked = isCut && text.length >= MIN_LENGTH;
    return this.#pass(text, text.length, isMasked ? [{ start: 0, end: text.length }] : []);
  }

  /** Passes on the first `length` characters, and holds back the rest. */
  #pass(text: string, length: number, more: readonly Span[] = []): string {
    let passed = '';
    let done = this.#covered;
    for (const { start, end } of [...more, ...this.#spansIn(text)]) {
      if (start >= length) break;
      if (start >= done) passed += text.slice(done, start) + MASK;
      done = Math.max(done, end);
    }
    this.#held = text.slice(length);
    this.#covered = Math.max(0, done - length);
    return passed + text.slice(done, length);
  }

  /** Where values stand, by their start. */
  #spansIn(text: string): readonly Span[] {
    const spans: Span[] = [];
    for (const value of this.#values) {
      for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
        spans.push({ start: at, end: at + value.length });
      }
    }
    return spans.toSorted((one, other) => one.start - other.start);
  }

  /** Characters at the end of a text that may be the start of a value. */
  #startedIn(text: string): number {
    for (let length = Math.min(text.length, this.#longest - 1); length > 0; length -= 1) {
      const end = text.slice(-length);
      if (this.#values.some((value) => value.length > length && value.startsWith(end))) return length;
    }
    return 0;
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Longer lines are masked in parts, so that memory stays bounded. */
const LONGEST_LINE = 64 * 1024;

/** What a function finds is not known, so it is given whole lines. */
export class LineMask implements PieceMask {
  readonly #redact: (text: string) => string;
  #held = '';

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  push(piece: string): string {
    const text = this.#held + piece;
    const lines = text.lastIndexOf('\n') + 1;
    const length = text.length - lines > LONGEST_LINE ? text.length : lines;
    this.#held = text.slice(length);
    return length === 0 ? '' : this.#redact(text.slice(0, length));
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest === '' ? '' : this.#redact(rest);
  }
}
