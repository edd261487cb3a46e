/** The process as the commands see it, so that tests can bring their own. */
import type { Readable, Writable } from 'node:stream';

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

/** A reader that goes away (`| head -1`) is no failure: what is left is written to nobody. */
export function ignoreBrokenPipe(stream: Writable): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
  });
}

/** Resolves when the stream has taken the text, or will never take it. */
export const writeAll = (stream: Writable, text: string): Promise<void> =>
  new Promise((resolve) => {
    if (!stream.writable) return resolve();
    stream.write(text, () => resolve());
  });
