/**
 * Values of a column in the first CSV table of a text that has one by that name, blank cells left out. The table ends
 * where a line has another number of cells: what a tool says around it is no part of it.
 */
export function columnOf(text: string, column: string): readonly string[] | undefined {
  const rows = text.split(/\r?\n/).map(cellsOf);
  const head = rows.findIndex((cells) => cells.includes(column));
  if (head === -1) return undefined;
  const width = rows[head]?.length;
  const index = rows[head]?.indexOf(column) ?? -1;
  const rest = rows.slice(head + 1);
  const end = rest.findIndex((cells) => cells.length !== width);
  return (end === -1 ? rest : rest.slice(0, end))
    .map((cells) => cells[index] ?? '')
    .filter((cell) => cell !== '');
}

/** Cells of one line; quotes may hold commas, and doubled quotes. */
const cellsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? (plain ?? '').trim(),
  );
