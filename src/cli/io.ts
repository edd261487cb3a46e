/** The process as the commands see it, so that tests can bring their own. */
import type { Readable, Writable } from 'node:stream';
import { UserError } from '../errors.ts';
import { visibleJson } from '../text/visible.ts';
import { EXIT } from './exit-codes.ts';

type Terminal = { readonly isTTY?: boolean };

export interface Io {
  readonly stdin: Readable & Terminal;
  readonly stdout: Writable & Terminal;
  readonly stderr: Writable & Terminal;
  readonly env: NodeJS.ProcessEnv;
}

export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/** An error of the stream is for whoever writes, see `writeAll`. Without a listener it would end the process. */
export function leaveErrorsToWriters(stream: Writable): void {
  stream.on('error', () => undefined);
}

/**
 * Resolves when the stream has taken the text. A reader that goes away (`| head -1`) is no failure: what is left is
 * written to nobody.
 * @throws {UserError} when it cannot be written, on a full disk for example
 */
export const writeAll = (stream: Writable, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (error: Error | null | undefined): void => {
      if (!error || isReaderGone(error)) resolve();
      else reject(new UserError(`The output could not be written: ${error.message}`, FAILED));
    };
    if (!stream.writable) settle(stream.errored);
    else stream.write(text, settle);
  });

/** A document for programs, on one line; a person may look at it. */
export const jsonOf = (value: unknown): string => `${visibleJson(JSON.stringify(value))}\n`;

/** Writes texts that nobody waits for. */
export class Output {
  readonly #stream: Writable;
  #written: Promise<void> = Promise.resolve();

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  write(text: string): void {
    this.#written = Promise.all([this.#written, writeAll(this.#stream, text)]).then(() => undefined);
    this.#written.catch(() => undefined);
  }

  /**
   * Resolves when all texts are written.
   * @throws {UserError} when one could not be: a later one may have found room again
   */
  flushed(): Promise<void> {
    return this.#written;
  }
}

const FAILED = { exitCode: EXIT.internal };

const isReaderGone = (error: NodeJS.ErrnoException): boolean =>
  error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
