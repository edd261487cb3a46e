/** Values as they would stand in a file: nothing that JSON does not have, and nothing nested without end. */

/** Deeper than any message or tool input; what recurses over a value stays far from the end of the stack. */
const MAX_DEPTH = 500;

export type Plain = { readonly value: unknown } | { readonly problem: string };

/** Reads a value through JSON, whatever it is. Never throws. */
export function plainOf(value: unknown): Plain {
  try {
    const json: string | undefined = JSON.stringify(value);
    if (json === undefined) return { problem: 'This is not JSON' };
    const plain: unknown = JSON.parse(json);
    return isWithin(plain, MAX_DEPTH) ? { value: plain } : { problem: TOO_DEEP };
  } catch (error) {
    return { problem: error instanceof RangeError ? TOO_DEEP : 'This is not JSON' };
  }
}

const TOO_DEEP = `This is nested more than ${MAX_DEPTH} levels deep`;

const isWithin = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((inner) => isWithin(inner, depth - 1)));
