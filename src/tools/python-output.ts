import { TextDecoder } from 'node:util';
import { pieceMask, type PieceMask } from '../text/redact.ts';
import type { ToolContext } from './define-tool.ts';
import { OutputBuffer } from './output-buffer.ts';
import { OutputFile } from './output-file.ts';
import type { RunPythonTexts } from './texts/run-python.ts';

const MAX_FILE_BYTES = 64_000_000;
/** What a result may say beside the output: that it was cut, how the process ended, what to do. */
const NOTES_CHARACTERS = 1_000;

/** Bytes of output in a result: it must not be cut once more by the toolbox, where nothing is kept. */
export const shownBytes = (maxOutputBytes: number, maxOutputCharacters: number): number =>
  Math.max(0, Math.min(maxOutputBytes, maxOutputCharacters - NOTES_CHARACTERS));

interface Options {
  readonly maxOutputBytes: number;
  readonly outputDir?: string;
}

interface Stream {
  readonly decoder: TextDecoder;
  readonly mask: PieceMask;
  readonly buffer: OutputBuffer;
}

/**
 * What one call printed: a bounded text for the model, and a file for people where it was cut. Both are masked as the
 * output comes, before anything is cut: half a secret would not be recognised.
 */
export class PythonOutput {
  readonly #maxBytes: number;
  readonly #texts: RunPythonTexts;
  readonly #streams: { readonly stdout: Stream; readonly stderr: Stream };
  readonly #file: OutputFile | null;

  constructor({ maxOutputBytes, outputDir }: Options, context: ToolContext) {
    const { texts, redact, maxOutputCharacters } = context;
    this.#maxBytes = shownBytes(maxOutputBytes, maxOutputCharacters);
    this.#texts = texts.runPython;
    const stream = (): Stream => ({
      decoder: new TextDecoder('utf-8', { ignoreBOM: true }),
      mask: pieceMask(redact),
      buffer: new OutputBuffer(this.#maxBytes),
    });
    this.#streams = { stdout: stream(), stderr: stream() };
    this.#file = outputDir === undefined ? null : new OutputFile(outputDir, context, MAX_FILE_BYTES);
  }

  append(name: 'stdout' | 'stderr', chunk: Buffer): void {
    const stream = this.#streams[name];
    this.#take(stream, stream.mask.push(stream.decoder.decode(chunk, { stream: true })));
  }

  /** Takes what was held back. Nothing may come afterwards. */
  end(): void {
    for (const stream of Object.values(this.#streams)) {
      this.#take(stream, stream.mask.end({ isCut: true }));
      // The start of a character whose end never came. It must not stand between half a secret and the cut.
      this.#take(stream, stream.decoder.decode());
    }
  }

  /** So far. Never blank, since the API refuses blank content. */
  text(): string {
    const { stdout, stderr } = this.#buffers();
    // What one stream leaves of its half is the other's.
    const stderrBytes = Math.min(
      stderr.size,
      Math.max(Math.floor(this.#maxBytes / 2), this.#maxBytes - stdout.size),
    );
    const parts = {
      stdout: this.#textOf(stdout, this.#maxBytes - stderrBytes),
      stderr: this.#textOf(stderr, stderrBytes),
    };
    if (parts.stderr.trim() === '') return parts.stdout.trim() === '' ? this.#texts.noOutput() : parts.stdout;
    if (parts.stdout.trim() === '') return parts.stderr;
    return `stdout:\n${withLineEnd(parts.stdout)}\nstderr:\n${parts.stderr}`;
  }

  /** @returns the path of the file where all output is, when it was cut */
  close(): string | null {
    return this.#file?.close({ keep: this.#isCut() }) ? this.#file.path : null;
  }

  #take({ buffer }: Stream, text: string): void {
    const bytes = Buffer.from(text);
    buffer.append(bytes);
    this.#file?.append(bytes);
  }

  #buffers(): { readonly stdout: OutputBuffer; readonly stderr: OutputBuffer } {
    const { stdout, stderr } = this.#streams;
    return { stdout: stdout.buffer, stderr: stderr.buffer };
  }

  #isCut(): boolean {
    const { stdout, stderr } = this.#buffers();
    return stdout.size + stderr.size > this.#maxBytes;
  }

  #textOf(stream: OutputBuffer, maxBytes: number): string {
    const { head, dropped, tail } = stream.text(maxBytes);
    if (dropped === 0) return head;
    return `${head}${this.#texts.cut(dropped, this.#file?.isGood === true)}${tail}`;
  }
}

const withLineEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
