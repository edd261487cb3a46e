/** The command that a word was probably meant to be, or null: at most two letters differ, and less than half of it. */
export function nearestCommand(word: string, commands: readonly string[]): string | null {
  const near = commands
    .map((command) => ({ command, distance: editDistance(word.toLowerCase(), command) }))
    .filter(({ command, distance }) => distance <= 2 && distance * 2 < command.length)
    .toSorted((a, b) => a.distance - b.distance);
  return near[0]?.command ?? null;
}

/** Levenshtein distance: insertions, deletions and replacements of one letter. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
