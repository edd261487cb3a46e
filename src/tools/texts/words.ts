/** Small parts of the texts for the model. */
import { lineOfName } from '../shown-name.ts';

export const quoted = (text: string): string => JSON.stringify(text);

export const countOf = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

const MAX_NAMES = 50;

export function listOf(names: readonly string[]): string {
  if (names.length === 0) return 'nothing';
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `${names.slice(0, MAX_NAMES).map(inList).join(', ')}${rest}`;
}

/** A name that could be taken for several is quoted. */
const inList = (name: string): string => (name.includes(', ') ? quoted(name) : lineOfName(name));
