import { describe, expect, it } from 'vitest';
import { forkedLines, type ForkChanges } from '../src/fork.ts';
import type { JournalLine } from '../src/ports.ts';
import { verifyJournal } from '../src/verify/index.ts';
import { clean } from './verify/recorded.ts';

const THINKING = ['thinking', 'redacted_thinking'];

/** Line 2 has a thought. */
const original = clean() as JournalLine[];

const blocksOf = (lines: readonly JournalLine[]) =>
  lines.flatMap((line) => ('message' in line ? line.message.content : []));

const ROWS: readonly {
  readonly what: string;
  readonly changes: Partial<ForkChanges>;
  readonly thinks: boolean;
}[] = [
  { what: 'as it was', changes: {}, thinks: true },
  { what: 'with a longer system text', changes: { system: 'You answer. '.repeat(50) }, thinks: false },
  {
    what: 'with tools that have more to say',
    changes: {
      tools: ['read', 'write'].map((name) => ({
        name,
        description: 'It does what it says. '.repeat(50),
        input_schema: { type: 'object' },
      })),
    },
    thinks: false,
  },
];

describe('a fork', () => {
  it.each(ROWS)('of a run $what holds, and has its thoughts: $thinks', ({ changes, thinks }) => {
    const forked = forkedLines(original, { runId: 'fork', at: '2026-12-01T00:00:00.000Z', ...changes });
    expect(verifyJournal(forked)).toEqual([]);
    const blocks = blocksOf(original);
    const kept = thinks ? blocks : blocks.filter(({ type }) => !THINKING.includes(type));
    expect(kept.length).toBe(thinks ? blocks.length : blocks.length - 1);
    expect(blocksOf(forked)).toEqual(kept);
  });
});
