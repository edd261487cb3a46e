/**
 * The terminal as one thing that many write to. While a dialog with a person is open the others' text is held back,
 * and only one dialog is open at a time.
 */
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

export interface Screen {
  /** Columns of the terminal; 80 where that is not known. */
  readonly columns: number;
  /** Text as it is, perhaps a part of a line. */
  write(text: string): void;
  /** A line of its own, however far the line before it got. */
  line(text: string): void;
  /** Until `resume`, `write` and `line` keep what they are given. */
  pause(): void;
  /** Writes what was kept, in its order. */
  resume(): void;
  /** Pauses, has the dialog, resumes. A dialog that comes while another is open waits for its end. */
  converse<T>(dialog: (dialog: Dialog) => Promise<T>): Promise<T>;
}

/** What an open dialog writes with. */
export interface Dialog {
  /** Shows text at once, beginning on a fresh line. Resolves when it was flushed: false when nobody can see it. */
  show(text: string): Promise<boolean>;
  /** The terminal itself went to a fresh line: the person pressed Enter, or an editor had it. */
  entered(): void;
}

type TerminalLike = Writable & { readonly columns?: number };

/** A screen on `stream`. One that is closed or breaks (EPIPE) is written to no more, and nobody hears of it. */
export const createScreen = (stream: TerminalLike): Screen => new StreamScreen(stream);

class StreamScreen implements Screen, Dialog {
  readonly #stream: TerminalLike;
  #isFresh = true;
  #isPaused = false;
  #isBroken = false;
  #held: (() => void)[] = [];
  #lastDialog: Promise<unknown> = Promise.resolve();

  constructor(stream: TerminalLike) {
    this.#stream = stream;
    stream.on('error', () => {
      this.#isBroken = true;
    });
  }

  get columns(): number {
    // Some pseudo-terminals say 0.
    return this.#stream.columns || 80;
  }

  write(text: string): void {
    this.#orHold(() => this.#put(text));
  }

  line(text: string): void {
    this.#orHold(() => this.#put(this.#onFreshLine(`${text}\n`)));
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    const writes = this.#held;
    this.#held = [];
    for (const write of writes) write();
  }

  converse<T>(dialog: (dialog: Dialog) => Promise<T>): Promise<T> {
    const turn = this.#lastDialog.then(() => this.#open(dialog));
    this.#lastDialog = turn.catch(() => undefined);
    return turn;
  }

  show(text: string): Promise<boolean> {
    return new Promise((resolve) => {
      this.#put(this.#onFreshLine(text), (error) => resolve(!error));
    });
  }

  entered(): void {
    this.#isFresh = true;
  }

  async #open<T>(dialog: (dialog: Dialog) => Promise<T>): Promise<T> {
    this.pause();
    try {
      return await dialog(this);
    } finally {
      this.#put(this.#onFreshLine(''));
      this.resume();
    }
  }

  #orHold(write: () => void): void {
    if (this.#isPaused) this.#held.push(write);
    else write();
  }

  #onFreshLine(text: string): string {
    return this.#isFresh ? text : `\n${text}`;
  }

  #put(text: string, flushed: (error?: Error | null) => void = () => undefined): void {
    if (this.#isBroken || !this.#stream.writable) {
      flushed(new Error('The stream is closed.'));
      return;
    }
    // Colours do not move the cursor.
    const plain = stripVTControlCharacters(text);
    if (plain !== '') this.#isFresh = plain.endsWith('\n');
    this.#stream.write(text, flushed);
  }
}
