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

/**
 * JSON of the same value, in which what is hidden stands as an escape: JSON itself escapes only a part of the control
 * characters, and of a lone surrogate some readers make an error.
 */
export const visibleJson = (json: string): string =>
  json.replaceAll(HIDDEN, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/** Columns that a terminal needs for one line of `visible` text: ideographs and emoji take two, a tab at most eight. */
export function widthOf(line: string): number {
  let columns = 0;
  for (const character of charactersOf(line)) columns += columnsOf(character);
  return columns;
}

/** `text` on one line of at most `columns` columns; `…` stands for what was cut. No character is split. */
export function fitLine(text: string, columns: number): string {
  const line = visibleLine(text);
  const [whole = '', more] = wrapLine(line, columns);
  if (more === undefined && widthOf(whole) <= columns) return whole;
  const [start = ''] = wrapLine(line, columns - 1);
  return widthOf(start) < columns ? `${start}…` : '…';
}

/**
 * One line of `visible` text in pieces of at most `columns` columns, none of which splits a character. A character
 * that is wider than that has a piece of its own.
 */
export function* wrapLine(line: string, columns: number): Generator<string, void, void> {
  let piece = '';
  let width = 0;
  for (const character of charactersOf(line)) {
    const added = columnsOf(character);
    if (piece !== '' && width + added > columns) {
      yield piece;
      [piece, width] = ['', 0];
    }
    piece += character;
    width += added;
  }
  yield piece;
}

/** U+FE0F only asks for the colourful form where it follows a pictograph. */
const HIDDEN =
  /(?![\n\t]|(?<=\p{Extended_Pictographic})\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

const ASCII_ONLY = /^[\t -~]*$/;
const TAB_COLUMNS = 8;

function columnsOf(character: string): number {
  if (character === '\t') return TAB_COLUMNS;
  return ASCII_ONLY.test(character) ? 1 : stringWidth(character);
}

/** Characters as a reader counts them. Segmenting is slow, so plain code goes without. */
function* charactersOf(line: string): Generator<string, void, void> {
  if (ASCII_ONLY.test(line)) yield* line;
  else yield* graphemesOf(line);
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function* graphemesOf(line: string): Generator<string, void, void> {
  for (let start = 0; start < line.length;) {
    const window = windowAt(line, start);
    const segments = Array.from(graphemes.segment(window), ({ segment }) => segment);
    // The last one may go on behind the window.
    if (start + window.length < line.length && segments.length > 1) segments.pop();
    yield* segments;
    for (const { length } of segments) start += length;
  }
}

/** V8 copies the whole string for each segment of it: a long line has to come in pieces, or it eats all memory. */
const WINDOW_LENGTH = 256;

function windowAt(line: string, start: number): string {
  const window = line.slice(start, start + WINDOW_LENGTH);
  const endsInsidePair = start + WINDOW_LENGTH < line.length && /[\uD800-\uDBFF]$/.test(window);
  return endsInsidePair ? window.slice(0, -1) : window;
}
