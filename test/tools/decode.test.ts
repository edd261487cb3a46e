import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToBytes, decodeUtf8, NotUtf8Error } from '../../src/tools/decode.ts';

async function decoded(bytes: Uint8Array, chunkBytes: number): Promise<string> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    // One buffer for all chunks, as when a file is read.
    const buffer = new Uint8Array(chunkBytes);
    for (let start = 0; start < bytes.length; start += chunkBytes) {
      const part = bytes.subarray(start, start + chunkBytes);
      buffer.set(part);
      yield buffer.subarray(0, part.length);
    }
  }
  let text = '';
  for await (const piece of decodeUtf8(chunks())) text += piece;
  return text;
}

const texts = fc.string({ unit: 'binary', maxLength: 40 });
const chunkBytes = fc.integer({ min: 1, max: 9 });

describe('decodeUtf8', () => {
  it('gives the text back, wherever the chunks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(texts, chunkBytes, async (before, size) => {
        expect(await decoded(Buffer.from(before), size)).toBe(before.replace(/^\uFEFF/, ''));
      }),
    );
  });

  it('names the first byte that is no text, wherever the chunks are cut (D20)', async () => {
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.constantFrom([0x80], [0xff], [0xc3, 0x28], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x61]),
        chunkBytes,
        async (before, bad, size) => {
          const bytes = Buffer.concat([Buffer.from(before), Uint8Array.from(bad)]);
          await expect(decoded(bytes, size)).rejects.toEqual(new NotUtf8Error(Buffer.byteLength(before)));
        },
      ),
    );
  });

  it.each([
    { bytes: [], content: '' },
    { bytes: [0xef, 0xbb, 0xbf], content: '' },
    { bytes: [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61], content: '\uFEFFa' },
    { bytes: [0x61, 0xef, 0xbb, 0xbf], content: 'a\uFEFF' },
    { bytes: [0x1b, 0xc2, 0x85, 0x00], content: '\u001b\u0085\0' },
  ])('of $bytes gives $content', async ({ bytes, content }) => {
    expect(await decoded(Uint8Array.from(bytes), 4)).toBe(content);
  });
});

describe('cutToBytes', () => {
  it.each([
    { of: 'abc', maxBytes: 2, gives: 'ab' },
    { of: 'abc', maxBytes: 9, gives: 'abc' },
    { of: 'a🚀', maxBytes: 4, gives: 'a' },
    { of: 'a🚀', maxBytes: 5, gives: 'a🚀' },
    { of: '🚀', maxBytes: 3, gives: '' },
    { of: '\uFEFFa', maxBytes: 4, gives: '\uFEFFa' },
  ])('A20: of $of to $maxBytes bytes gives $gives', ({ of, maxBytes, gives }) => {
    expect(cutToBytes(of, maxBytes)).toBe(gives);
  });
});
