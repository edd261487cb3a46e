/** A journal as a run has left it, and what it takes to damage it. */
import { play, replies, text, toolUse } from '../support/world.ts';

const PRICE = { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
const thinking = { type: 'thinking', thinking: 'Which?', signature: 'c2lnbmF0dXJl' };

/** A read, a denied write, an approved write with a result, and the answer. */
const recorded = await play({
  turns: [
    replies([thinking, text('Reading.'), toolUse('a'), toolUse('b')]),
    replies([toolUse('c', 'write', { to: 'x' })]),
    replies([toolUse('d', 'write', { to: 'y' })]),
    replies([text('Done.')]),
  ],
  box: { asks: ['write'] },
  approver: {
    decide: async ({ id }) =>
      id === 'c' ? { decision: 'deny', by: 'person', reason: 'no' } : { decision: 'approve', by: 'person' },
  },
  header: { price: PRICE },
});

// Damaged below: plain JSON, as it stands in a file.
export type Line = Record<string, unknown> & { type: string };
export const clean = (): Line[] => JSON.parse(JSON.stringify(recorded.lines)) as Line[];

export const at = (lines: readonly Line[], type: string, nth = 0): number => {
  const found = lines.flatMap((line, index) => (line.type === type ? [index] : []))[nth];
  if (found === undefined) throw new Error(`There is no ${nth}. ${type}.`);
  return found;
};

export const edit = (lines: Line[], type: string, nth: number, change: (line: Line) => void): Line[] => {
  const line = lines[at(lines, type, nth)];
  if (line !== undefined) change(line);
  return lines;
};

export const drop = (lines: Line[], type: string, nth = 0): Line[] =>
  lines.toSpliced(at(lines, type, nth), 1);
export const nested = (of: Record<string, unknown>, name: string): Record<string, unknown> =>
  of[name] as Record<string, unknown>;
export const field = (line: Line, name: string): Record<string, unknown> => nested(line, name);
