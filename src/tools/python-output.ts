import { OutputBuffer } from './output-buffer.ts';
import { OutputFile } from './output-file.ts';
import type { RunPythonTexts } from './texts/run-python.ts';

const MAX_FILE_BYTES = 64_000_000;

interface Options {
  readonly maxOutputBytes: number;
  readonly outputDir?: string;
}

/** What one call printed: a bounded text for the model, and a file for people where it was cut. */
export class PythonOutput {
  readonly #maxBytes: number;
  readonly #texts: RunPythonTexts;
  readonly #streams: { readonly stdout: OutputBuffer; readonly stderr: OutputBuffer };
  readonly #file: OutputFile | null;

  constructor({ maxOutputBytes, outputDir }: Options, texts: RunPythonTexts) {
    this.#maxBytes = maxOutputBytes;
    this.#texts = texts;
    this.#streams = { stdout: new OutputBuffer(maxOutputBytes), stderr: new OutputBuffer(maxOutputBytes) };
    this.#file = outputDir === undefined ? null : new OutputFile(outputDir, MAX_FILE_BYTES);
  }

  append(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    this.#streams[stream].append(chunk);
    this.#file?.append(chunk);
  }

  /** So far. Never blank, since the API refuses blank content. */
  text(): string {
    const { stdout, stderr } = this.#streams;
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
    const { stdout, stderr } = this.#streams;
    const keep = stdout.size + stderr.size > this.#maxBytes;
    return this.#file?.close({ keep }) ? this.#file.path : null;
  }

  #textOf(stream: OutputBuffer, maxBytes: number): string {
    const { head, dropped, tail } = stream.text(maxBytes);
    return dropped === 0 ? head : `${head}${this.#texts.cut(dropped)}${tail}`;
  }
}

const withLineEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
