import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputBuffer } from '../../src/tools/output-buffer.ts';

const chunksOf = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));

function bufferWith(text: string, chunkBytes: number, maxBytes: number): OutputBuffer {
  const buffer = new OutputBuffer(maxBytes);
  for (const chunk of chunksOf(Buffer.from(text), chunkBytes)) buffer.append(chunk);
  return buffer;
}

describe('an output buffer', () => {
  it.each([
    { text: '', maxBytes: 8, expected: { head: '', dropped: 0, tail: '' } },
    { text: 'abcdefgh', maxBytes: 8, expected: { head: 'abcdefgh', dropped: 0, tail: '' } },
    { text: 'abcdefghi', maxBytes: 8, expected: { head: 'abcd', dropped: 1, tail: 'fghi' } },
    { text: '0123456789'.repeat(9), maxBytes: 5, expected: { head: '01', dropped: 85, tail: '789' } },
    { text: '€€€€€', maxBytes: 10, expected: { head: '€', dropped: 9, tail: '€' } },
    { text: '😀😀😀', maxBytes: 11, expected: { head: '😀', dropped: 4, tail: '😀' } },
    { text: 'abc', maxBytes: 1, expected: { head: '', dropped: 2, tail: 'c' } },
    { text: 'abc', maxBytes: 0, expected: { head: '', dropped: 3, tail: '' } },
    { text: '\u{feff}a', maxBytes: 8, expected: { head: '\u{feff}a', dropped: 0, tail: '' } },
  ])('of $maxBytes bytes keeps $expected of $text', ({ text, maxBytes, expected }) => {
    expect(bufferWith(text, 3, maxBytes).text(maxBytes)).toEqual(expected);
  });

  it('D07: gives back any text that fits, however it was chunked', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (text, chunkBytes) => {
        const buffer = bufferWith(text, chunkBytes, 2 * Buffer.byteLength(text));
        expect(buffer.text(Buffer.byteLength(text))).toEqual({ head: text, dropped: 0, tail: '' });
      }),
    );
  });

  it('D05, D07: cuts any text at characters, within the limit, and counts what it left out', () => {
    const sizes = fc.record({
      chunkBytes: fc.integer({ min: 1, max: 50 }),
      keptBytes: fc.integer({ min: 0, max: 40 }),
      less: fc.integer({ min: 0, max: 10 }),
    });
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        sizes,
        (text, { chunkBytes, keptBytes, less }) => {
          const maxBytes = Math.max(0, keptBytes - less);
          const { head, dropped, tail } = bufferWith(text, chunkBytes, keptBytes).text(maxBytes);
          const shown = Buffer.byteLength(head) + Buffer.byteLength(tail);
          expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
          expect(shown).toBeLessThanOrEqual(maxBytes);
          expect(shown + dropped).toBe(Buffer.byteLength(text));
          // No more than a character is lost at either side of the cut.
          if (dropped > 0) expect(shown).toBeGreaterThanOrEqual(maxBytes - 6);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('shows bytes that are no UTF-8 as U+FFFD', () => {
    const buffer = new OutputBuffer(10);
    buffer.append(Buffer.from([0x61, 0xff, 0x62]));
    expect(buffer.text(10).head).toBe('a\u{fffd}b');
  });
});
