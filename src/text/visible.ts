/**
 * Text of a model or of a tool, made fit to be looked at: what a terminal would obey, hide or reorder is written out.
 *
 * Every surface that shows such text (prompt, live output, log line, error, answer) builds it here.
 */
import stringWidth from 'string-width';

/**
 * Writes control characters (but newline and tab), bidi controls, zero-width and other invisible characters, line and
 * paragraph separators and lone surrogates as `\u{202e}`. Letters, ideographs and emoji stay as they are; the joiner
 * within an emoji sequence is written out, too: elsewhere it hides things. The result is well-formed Unicode.
 */
export const visible = (text: string): string => text.replaceAll(HIDDEN, escaped);

/** The same on one line: newlines and tabs are written out as well. */
export const visibleLine = (text: string): string => visible(text).replaceAll(/[\n\t]/g, escaped);

/** Columns that a terminal needs for one line of `visible` text: ideographs and emoji take two. */
export const widthOf = (line: string): number => stringWidth(line);

/** `text` on one line of at most `columns` columns; `…` stands for what was cut. No character is split. */
export function fitLine(text: string, columns: number): string {
  const line = visibleLine(text);
  const [first = '', ...rest] = wrapLine(line, Math.max(columns, 1), 2);
  if (rest.length === 0) return first;
  const [kept = ''] = wrapLine(line, Math.max(columns - 1, 0), 1);
  return `${kept}…`;
}

/**
 * One line of `visible` text in pieces of at most `columns` columns each, none of which splits a character. A
 * character that is wider than that has a piece of its own.
 * @param limit no more pieces than this
 */
export function wrapLine(line: string, columns: number, limit = Infinity): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  let width = 0;
  for (const character of charactersOf(line)) {
    const added = columnsOf(character);
    if (width + added > columns && piece !== '') {
      pieces.push(piece);
      if (pieces.length >= limit) return pieces;
      [piece, width] = ['', 0];
    }
    piece += character;
    width += added;
  }
  return [...pieces, piece];
}
