/** A path on a line of its own. One that could be taken for more than one line, or for a quoted one, is quoted. */
export const lineOfName = (way: string): string =>
  /[\p{C}\p{Zl}\p{Zp}"]/u.test(way) ? JSON.stringify(way) : way;

/** Perhaps read from bytes that are no UTF-8: they are lost, and nothing can be opened by such a name. */
export const isLossy = (way: string): boolean => way.includes('\uFFFD');
