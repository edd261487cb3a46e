import { describe, expect, it } from 'vitest';
import { ahead } from '../../src/tools/ahead.ts';

async function* upTo(count: number): AsyncGenerator<number> {
  for (let item = 1; item <= count; item += 1) yield item;
}

const all = async (results: AsyncIterable<number>): Promise<readonly number[]> => {
  const list: number[] = [];
  for await (const result of results) list.push(result);
  return list;
};

/** Counts what is under way; the first item of each three takes longest. */
function worker() {
  const seen = { most: 0, now: 0, begun: 0 };
  const work = async (item: number): Promise<number> => {
    seen.begun += 1;
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    for (let turn = 0; turn < (item % 3 === 1 ? 20 : 1); turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
    seen.now -= 1;
    return item * 10;
  };
  return { seen, work };
}

describe('work that is done ahead', () => {
  it.each([
    { items: 0, count: 3, most: 0 },
    { items: 2, count: 3, most: 2 },
    { items: 20, count: 3, most: 4 },
    { items: 20, count: 0, most: 1 },
  ])('of $items items, $count ahead: comes in order, $most at a time', async ({ items, count, most }) => {
    const { seen, work } = worker();
    const expected = Array.from({ length: items }, (_, index) => (index + 1) * 10);
    expect(await all(ahead(upTo(items), count, work))).toEqual(expected);
    expect(seen.most).toBe(most);
  });

  it('begins no more, and has ended all that had begun, when nobody wants the rest', async () => {
    const { seen, work } = worker();
    for await (const result of ahead(upTo(100), 3, work)) if (result === 20) break;
    expect(seen).toMatchObject({ now: 0, begun: 5 });
  });

  it('fails where the failed item stands, and not before', async () => {
    const { work } = worker();
    const got: number[] = [];
    const failing = ahead(upTo(9), 3, async (item) => {
      if (item === 4) throw new Error('of the fourth');
      return work(item);
    });
    const collecting = (async () => {
      for await (const result of failing) got.push(result);
    })();
    await expect(collecting).rejects.toThrow('of the fourth');
    expect(got).toEqual([10, 20, 30]);
  });
});
