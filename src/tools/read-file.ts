import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { cutHead } from '../text/cut.ts';
import { defineTool, ToolError, type Tool, type ToolContext } from './define-tool.ts';
import type { ReadFileTexts } from './texts/read-file.ts';
import { openInWorkspace, type Opened } from './workspace-path.ts';

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
      if (opened.kind !== 'file') throw new ToolError(refusal(path, opened, texts, context.tools));
      try {
        return await readLines(opened.file, opened.stats.size, { path, from, to, maxBytes }, context);
      } finally {
        await opened.file.close();
      }
    },
  });
}

function refusal(
  path: string,
  opened: Exclude<Opened, { kind: 'file' }>,
  texts: ReadFileTexts,
  tools: readonly string[],
): string {
  switch (opened.kind) {
    case 'blank':
      return texts.blankPath();
    case 'nul_byte':
      return texts.nulByte();
    case 'outside':
      return texts.outside(path);
    case 'state_folder':
      return texts.stateFolder(path);
    case 'missing':
      return texts.missing(path, opened.folder, opened.names, tools);
    case 'folder':
      return texts.folder(path, opened.names, tools);
    case 'special':
      return texts.special(path, opened.type);
    case 'unreadable':
      return texts.unreadable(path, opened.reason);
  }
}

interface Wanted {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly maxBytes: number;
}

/** Takes whole lines up to the cap. Memory is bounded by the cap, however large the file or its lines. */
async function readLines(
  file: FileHandle,
  size: number,
  { path, from, to, maxBytes }: Wanted,
  { texts: { readFile: texts }, signal }: ToolContext,
): Promise<string> {
  if (size === 0) return texts.emptyFile();
  let content = '';
  let bytes = 0;
  let number = 0;
  for await (const { text, isCut } of linesOf(file, path, maxBytes, texts)) {
    signal.throwIfAborted();
    number += 1;
    if (number < from) continue;
    if (number > to) break;
    const length = Buffer.byteLength(text);
    if (bytes > 0 && bytes + length > maxBytes) return content + texts.more(from, number - 1, size);
    content += text;
    bytes += length;
    if (isCut) return content + texts.longLine(number);
  }
  if (number < from) throw new ToolError(texts.pastEnd(path, from, number));
  return content;
}

interface Line {
  /** With its line break. */
  readonly text: string;
  readonly isCut: boolean;
}

/** Lines with their breaks. Of a line over the cap only the start is kept. */
async function* linesOf(
  file: FileHandle,
  path: string,
  maxBytes: number,
  texts: ReadFileTexts,
): AsyncGenerator<Line> {
  let rest = '';
  let isCut = false;
  for await (const chunk of decoded(file, path, texts)) {
    const lines = (rest + chunk).split(/(?<=\n)/);
    const last = lines.at(-1) ?? '';
    const isWhole = last.endsWith('\n');
    for (const text of isWhole ? lines : lines.slice(0, -1)) {
      yield shorten(text, isCut);
      isCut = false;
    }
    rest = isWhole ? '' : last;
    if (Buffer.byteLength(rest) > maxBytes) {
      rest = cutHead(rest, Math.floor(maxBytes / MAX_BYTES_A_CHARACTER));
      isCut = true;
    }
  }
  if (rest !== '') yield { text: rest, isCut };

  function shorten(text: string, wasCut: boolean): Line {
    if (!wasCut && Buffer.byteLength(text) <= maxBytes) return { text, isCut: false };
    return { text: cutHead(text, Math.floor(maxBytes / MAX_BYTES_A_CHARACTER)), isCut: true };
  }
}

/** UTF-8. */
const MAX_BYTES_A_CHARACTER = 4;

/** The file as text, piece by piece; a byte order mark at its start is left out. */
async function* decoded(file: FileHandle, path: string, texts: ReadFileTexts): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let offset = 0;
  const decode = (chunk: Uint8Array, isLast: boolean): string => {
    try {
      return decoder.decode(chunk, { stream: !isLast });
    } catch {
      throw new ToolError(texts.notText(path, offset + firstBadByte(chunk)));
    }
  };
  const stream = file.createReadStream({ autoClose: false, start: 0 });
  for await (const chunk of stream) {
    // A stream of a file that is read without an encoding gives buffers.
    const bytes = Buffer.from(chunk);
    yield decode(bytes, false);
    offset += bytes.length;
  }
  yield decode(new Uint8Array(), true);
}

/** Where a chunk stops being UTF-8: the longest prefix that decodes. */
function firstBadByte(chunk: Uint8Array): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isPrefixOfText(chunk.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isPrefixOfText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
