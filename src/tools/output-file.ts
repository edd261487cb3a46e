import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ToolContext } from './define-tool.ts';

/**
 * The output of one call on disk, for people: both streams in the order in which they came. Best effort: a full disk
 * must not fail the call, which is why nothing here throws.
 */
export class OutputFile {
  readonly path: string;
  #descriptor: number | null = null;
  #room: number;
  #hasFailed = false;

  /**
   * @param call names the file
   * @param maxBytes what comes after is not written
   */
  constructor(folder: string, call: Pick<ToolContext, 'runId' | 'callId'>, maxBytes: number) {
    this.path = join(folder, `${safe(call.runId)}-${safe(call.callId)}.txt`);
    this.#room = maxBytes;
    this.#try(() => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      this.#descriptor = openSync(this.path, 'wx', 0o600);
    });
  }

  /** It is there, and nothing has gone wrong so far. */
  get isGood(): boolean {
    return this.#descriptor !== null && !this.#hasFailed;
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
      this.#hasFailed = true;
    }
  }
}

/** An id comes from a server, and may be anything: what is no plain name gets a hash instead of what it cannot hold. */
function safe(id: string): string {
  if (/^[\w-]{1,80}$/.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 12);
  return `${id.replaceAll(/[^\w-]/g, '_').slice(0, 60)}-${hash}`;
}
