/**
 * Does the work for several items at a time, and gives what comes of it in their order. Whoever stops early waits for what
 * has begun.
 * @param count of items that are worked on while one is looked at
 */
export async function* ahead<Item, Result>(
  items: AsyncIterable<Item>,
  count: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const begun: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // Its failure is met when its turn comes.
      result.catch(() => undefined);
      begun.push(result);
      const first = begun.length > count ? begun.shift() : undefined;
      if (first !== undefined) yield await first;
    }
    for (let first = begun.shift(); first !== undefined; first = begun.shift()) yield await first;
  } finally {
    await Promise.allSettled(begun);
  }
}
