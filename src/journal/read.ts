import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf, UserError } from '../errors.ts';
import type { JournalLine } from '../ports.ts';

const header = z.looseObject({
  type: z.literal('run.started'),
  format: z.literal(1),
  runId: z.string(),
  task: z.string(),
  model: z.string(),
  system: z.string(),
  maxTokens: z.int(),
  tools: z.array(z.looseObject({ name: z.string() })),
});

const line = z.looseObject({ type: z.string(), at: z.iso.datetime() });

interface StoredJournal {
  readonly lines: readonly JournalLine[];
  /** Bytes of the lines that can be read. A torn one may stand behind them. */
  readonly bytes: number;
  /** Bytes of a line whose writer died before it was whole. The run had not gone on from it. */
  readonly tornBytes: number;
  /** The last line is whole but for its newline. */
  readonly isUnterminated: boolean;
}

/**
 * Reads a journal file.
 * @param until line to stop behind, counted from 1: what follows may be damaged
 * @throws {UserError} that names the file, the line, and what is wrong with it
 */
export async function readJournal(path: string, until = Infinity): Promise<readonly JournalLine[]> {
  const bytes = await bytesOf(path);
  return parseJournal(bytes.subarray(0, endOfLine(bytes, until)), path).lines;
}

/**
 * The bytes of a journal file.
 * @throws {UserError} when it cannot be read
 */
export async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new UserError(`The journal cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Behind the newline of a line, or the end of what there is. */
function endOfLine(bytes: Buffer, number: number): number {
  let end = 0;
  for (let count = 0; count < number; count += 1) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline === -1) return bytes.length;
    end = newline + 1;
  }
  return end;
}

/**
 * Reads the bytes of a journal. A last line that is not whole is left out.
 * @param path for errors
 * @throws {UserError} as `readJournal`
 */
export function parseJournal(bytes: Buffer, path: string): StoredJournal {
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  const rows = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
  const lines = rows.map((row, index) => parseLine(row, index, path));
  // Without its newline a line may be whole all the same, and hold a response that was paid for.
  const last = wholeLine(bytes.subarray(end).toString('utf8'), lines.length, path);
  const tail = bytes.length - end;
  // Nothing but this, and no beginning of a journal: what is wrong with it is said.
  if (lines.length === 0 && last === null && !isBeginningOfHeader(bytes))
    parseLine(bytes.toString('utf8'), 0, path);
  return last === null
    ? { lines, bytes: end, tornBytes: tail, isUnterminated: false }
    : { lines: [...lines, last], bytes: bytes.length, tornBytes: 0, isUnterminated: true };
}

const NEWLINE = 0x0a;

/** What a process that died while it wrote its header may have left. */
function isBeginningOfHeader(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  return text.startsWith(BEGINNING) || BEGINNING.startsWith(text);
}

const BEGINNING = '{"type":"run.started"';

function wholeLine(row: string, index: number, path: string): JournalLine | null {
  try {
    return parseLine(row, index, path);
  } catch {
    return null;
  }
}

function parseLine(row: string, index: number, path: string): JournalLine {
  const where = `${path}, line ${index + 1}`;
  let json: unknown;
  try {
    json = JSON.parse(row);
  } catch {
    throw new UserError(`${where} is not JSON: the file is damaged or no journal.${forkBefore(index)}`);
  }
  const format = index === 0 ? formatOf(json) : null;
  if (format !== null && format > 1) {
    throw new UserError(
      `${where} has format ${format}: a newer version of turnstile wrote it. This one reads format 1.`,
    );
  }
  const parsed = (index === 0 ? header : line).safeParse(json);
  if (!parsed.success)
    throw new UserError(
      `${where} is no line of a journal: ${z.prettifyError(parsed.error)}${forkBefore(index)}`,
    );
  // The schema checks what a reader relies on; payloads are opaque.
  return parsed.data as unknown as JournalLine;
}

/** The way on, where something stands before the damage. */
const forkBefore = (index: number): string =>
  index === 0 ? '' : ` The lines before it can be taken into a new run: turnstile fork RUN --at ${index}`;

const formatOf = (json: unknown): number | null =>
  typeof json === 'object' && json !== null && 'format' in json && typeof json.format === 'number'
    ? json.format
    : null;
