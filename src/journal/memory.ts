import type { Journal, JournalLine } from '../ports.ts';

/** A journal that lives as long as the process. */
export function memoryJournal(): Journal & { readonly lines: readonly JournalLine[] } {
  const lines: JournalLine[] = [];
  return {
    lines,
    append: async (line) => {
      lines.push(line);
    },
  };
}
