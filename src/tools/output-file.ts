import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

/**
 * The output of one call on disk, for people: both streams in the order in which they came. Best effort: a full disk
 * must not fail the call, which is why nothing here throws.
 */
export class OutputFile {
  readonly path: string;
  #descriptor: number | null = null;
  #room: number;

  /** @param maxBytes what comes after is not written */
  constructor(folder: string, maxBytes: number) {
    this.path = join(folder, `python-${randomUUID()}.txt`);
    this.#room = maxBytes;
    this.#try(() => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      this.#descriptor = openSync(this.path, 'wx', 0o600);
    });
  }

  append(chunk: Buffer): void {
    const descriptor = this.#descriptor;
    if (descriptor === null || this.#room === 0) return;
    const part = chunk.subarray(0, this.#room);
    this.#room -= part.length;
    this.#try(() => writeSync(descriptor, part));
  }

  /** @returns whether there is a file now */
  close(options: { readonly keep: boolean }): boolean {
    const descriptor = this.#descriptor;
    if (descriptor === null) return false;
    this.#descriptor = null;
    this.#try(() => closeSync(descriptor));
    if (!options.keep) this.#try(() => rmSync(this.path, { force: true }));
    return options.keep;
  }

  #try(write: () => void): void {
    try {
      write();
    } catch {
      this.#room = 0;
    }
  }
}
