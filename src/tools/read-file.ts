import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { maskPieces } from '../text/redact.ts';
import { cutToBytes, decodeUtf8, NotUtf8Error } from './decode.ts';
import { defineTool, ToolError, type Tool, type ToolContext } from './define-tool.ts';
import { refusalText } from './refusal-text.ts';
import type { ReadFileTexts } from './texts/read-file.ts';
import { codeOf, reasonOf } from './system-errors.ts';
import { openInWorkspace } from './workspace-path.ts';

export interface ReadFileOptions {
  /** The most that one call returns, in bytes of the file. Default 25,000. */
  readonly maxBytes?: number;
}

const line = z.int().min(1);

/** Reads a text file of the workspace, or lines of it. */
export function readFile({ maxBytes = 25_000 }: ReadFileOptions = {}): Tool {
  return defineTool({
    name: 'read_file',
    description: `Reads a UTF-8 text file of the workspace. Of a file over ${maxBytes} bytes you get the first lines, and are told how to read on. Independent files are best read in one turn.`,
    input: z.strictObject({
      path: z.string().describe('Path of the file, relative to the workspace.'),
      from_line: line.optional().describe('First line to return; lines count from 1.'),
      to_line: line.optional().describe('Last line to return.'),
    }),
    effects: 'none',
    run: async ({ path, from_line: from = 1, to_line: to = Infinity }, context) => {
      const texts = context.texts.readFile;
      if (to < from) throw new ToolError(texts.backwards(from, to));
      const opened = await openInWorkspace(context, path);
      if (opened.kind !== 'file') throw new ToolError(refusalText(path, opened, context));
      try {
        return await readLines(opened.file, opened.stats.size, { path, from, to, maxBytes }, context);
      } catch (error) {
        throw readingError(error, path, texts);
      } finally {
        await opened.file.close();
      }
    },
  });
}

interface Wanted {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly maxBytes: number;
}

/**
 * Takes whole lines up to the cap, and reads no further. Memory is bounded by the cap, however long the lines are.
 * Secrets are masked first: a cut could leave half of one, which would not be recognised.
 */
async function readLines(
  file: FileHandle,
  size: number,
  { path, from, to, maxBytes }: Wanted,
  { texts: { readFile: texts }, signal, redact }: ToolContext,
): Promise<string> {
  let content = '';
  let bytes = 0;
  let number = 0;
  const pieces = maskPieces(decodeUtf8(chunksOf(file, signal)), redact);
  for await (const { text, isCut } of linesOf(pieces, maxBytes)) {
    number += 1;
    if (number < from) continue;
    if (number > to) return content;
    const length = Buffer.byteLength(text);
    if (bytes > 0 && (isCut || bytes + length > maxBytes)) {
      return content + texts.more(from, number - 1, size);
    }
    if (isCut) return text + texts.longLine(number);
    content += text;
    bytes += length;
  }
  if (number === 0) return texts.emptyFile();
  if (number < from) throw new ToolError(texts.pastEnd(path, from, number));
  return content;
}

/** What went wrong while reading, for the model where it can be told. */
function readingError(error: unknown, path: string, texts: ReadFileTexts): unknown {
  if (error instanceof NotUtf8Error) return new ToolError(texts.notText(path, error.offset));
  const code = codeOf(error);
  return code === null ? error : new ToolError(texts.unreadable(path, reasonOf(code)));
}

interface Line {
  /** With its line break. */
  readonly text: string;
  readonly isCut: boolean;
}

/** Lines with their breaks. Of a line over the cap only the start is given, before the rest of it is even read. */
async function* linesOf(pieces: AsyncIterable<string>, maxBytes: number): AsyncGenerator<Line> {
  let rest = '';
  let isSkipping = false;
  for await (const piece of pieces) {
    for (const part of piece.split(/(?<=\n)/)) {
      if (!isSkipping) rest += part;
      if (Buffer.byteLength(rest) > maxBytes) {
        yield { text: cutToBytes(rest, maxBytes), isCut: true };
        rest = '';
        isSkipping = true;
      }
      if (!part.endsWith('\n')) continue;
      if (!isSkipping) yield { text: rest, isCut: false };
      rest = '';
      isSkipping = false;
    }
  }
  if (rest !== '') yield { text: rest, isCut: false };
}

const CHUNK_BYTES = 64 * 1024;

/** The bytes of the file. Each chunk is overwritten by the next. */
async function* chunksOf(file: FileHandle, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
