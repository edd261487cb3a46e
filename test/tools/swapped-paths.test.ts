import { afterEach, describe, expect, it, vi } from 'vitest';
import { read } from './box.ts';
import { swapped, type Swap } from './swapper.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const CASES: readonly { readonly swap: Swap; readonly times: number }[] = [
  { swap: 'a link out', times: 10_000 },
  { swap: 'a folder that is a link out', times: 10_000 },
  { swap: 'a hard link out', times: 10_000 },
  { swap: 'a link to a device', times: 1_000 },
  { swap: 'a folder', times: 1_000 },
  { swap: 'a pipe', times: 200 },
];

/** What the model may be told of a file that is there, is something else, or is between the two. */
const TRUE =
  /^inside$|^"sub\/in\.txt" is |^"sub\/in\.txt" has more than one name|^There is no file "sub\/in\.txt"/;

describe('a file that another process swaps while read_file reads it', () => {
  it.each(CASES)('for $swap, $times times, never gives a byte from outside', async ({ swap, times }) => {
    const { work, isSwapping } = await swapped(swap, times);
    const seen = new Map<string, number>();
    do {
      const { content } = await read(work, { path: 'sub/in.txt' });
      seen.set(content, (seen.get(content) ?? 0) + 1);
    } while (isSwapping());
    for (const content of seen.keys()) expect(content).toMatch(TRUE);
    expect([...seen.keys()].join('\n')).not.toContain('secret');
    // It raced: sometimes the file was there.
    expect(seen.get('inside')).toBeGreaterThan(0);
  });
});
