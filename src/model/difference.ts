import { isObject } from './json.ts';

export interface Difference {
  /** As one writes it in code: `messages[2].content[0].text`. */
  readonly path: string;
  readonly before: unknown;
  readonly now: unknown;
}

/** Where two JSON values differ first, in the order of the first one's fields. Fields that are undefined are absent. */
export function firstDifference(before: unknown, now: unknown, path = ''): Difference | null {
  if (Object.is(before, now)) return null;
  if (Array.isArray(before) && Array.isArray(now)) {
    const indices = Array.from({ length: Math.max(before.length, now.length) }, (_, index) => index);
    return firstOf(indices, (index) => firstDifference(before[index], now[index], `${path}[${index}]`));
  }
  if (isObject(before) && isObject(now)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
    return firstOf(keys, (key) =>
      firstDifference(before[key], now[key], path === '' ? key : `${path}.${key}`),
    );
  }
  return { path, before, now };
}

function firstOf<Item>(items: readonly Item[], differ: (item: Item) => Difference | null): Difference | null {
  for (const item of items) {
    const difference = differ(item);
    if (difference !== null) return difference;
  }
  return null;
}
