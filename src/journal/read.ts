import { readFile } from 'node:fs/promises';
import { z } from 'zod';
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

/**
 * Reads a journal file. A torn last line is left out: its writer died before the run went on.
 * @throws {Error} for people: the file, the line, and what is wrong with it
 */
export async function readJournal(path: string): Promise<readonly JournalLine[]> {
  const rows = (await readFile(path, 'utf8')).split('\n');
  // Every whole line ends in a newline, so the last piece is empty or torn.
  return rows.slice(0, -1).map((row, index) => parseLine(row, index, path));
}

function parseLine(row: string, index: number, path: string): JournalLine {
  const where = `${path}, line ${index + 1}`;
  let json: unknown;
  try {
    json = JSON.parse(row);
  } catch {
    throw new Error(`${where} is not JSON: the file is damaged or no journal.`);
  }
  const parsed = (index === 0 ? header : line).safeParse(json);
  if (!parsed.success) throw new Error(`${where} is no line of a journal: ${z.prettifyError(parsed.error)}`);
  // The schema checks what a reader relies on; payloads are opaque.
  return parsed.data as unknown as JournalLine;
}
