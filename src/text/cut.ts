/** Cutting text for length. Never in the middle of a character: half an emoji makes a request that the API refuses. */

/** The first `maxCharacters` code points. */
export function cutHead(text: string, maxCharacters: number): string {
  // No text has more code points than UTF-16 units, so short texts need no counting.
  if (text.length <= maxCharacters) return text;
  return text.slice(0, unitsOf(text, maxCharacters));
}

/** The last `maxCharacters` code points. */
export function cutTail(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  let start = text.length;
  for (let count = 0; count < maxCharacters && start > 0; count += 1) {
    start -= isSecondHalf(text, start - 1) ? 2 : 1;
  }
  return text.slice(start);
}

/** Start and end of a text of more than `maxCharacters` code points, and how many were left out between them. */
export function headAndTail(
  text: string,
  maxCharacters: number,
): { readonly head: string; readonly tail: string; readonly dropped: number } {
  if (text.length <= maxCharacters) return { head: text, tail: '', dropped: 0 };
  const total = countOf(text);
  if (total <= maxCharacters) return { head: text, tail: '', dropped: 0 };
  const half = Math.floor(maxCharacters / 2);
  return {
    head: cutHead(text, maxCharacters - half),
    tail: cutTail(text, half),
    dropped: total - maxCharacters,
  };
}

const isSecondHalf = (text: string, at: number): boolean =>
  at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;

/** UTF-16 units of the first `characters` code points. */
function unitsOf(text: string, characters: number): number {
  let units = 0;
  for (let count = 0; count < characters && units < text.length; count += 1) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

function countOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
