import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutHead, cutTail, headAndTail } from '../../src/text/cut.ts';

const words = fc.string({ unit: 'binary', maxLength: 60 });
const size = fc.nat(40);
const count = (text: string): number => Array.from(text).length;

describe('cutting', () => {
  it.each([
    ['abc', 2, 'ab', 'bc'],
    ['a🚀b', 2, 'a🚀', '🚀b'],
    ['🚀🚀', 1, '🚀', '🚀'],
    ['abc', 0, '', ''],
    ['abc', 9, 'abc', 'abc'],
  ])('%j to %i characters gives %j from the start and %j from the end', (text, length, head, tail) => {
    expect(cutHead(text, length)).toBe(head);
    expect(cutTail(text, length)).toBe(tail);
  });

  it('never splits a character, keeps what it says and counts the rest (A20, A21)', () => {
    fc.assert(
      fc.property(words, size, (text, max) => {
        const { head, tail, dropped } = headAndTail(text, max);
        expect(head.isWellFormed() && tail.isWellFormed()).toBe(true);
        expect(count(head) + count(tail) + dropped).toBe(count(text));
        expect(count(head) + count(tail)).toBe(Math.min(max, count(text)));
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(tail === '' || count(head) - count(tail) <= 1).toBe(true);
      }),
    );
  });

  it('counts as a list of code points does, also where halves of characters stand alone', () => {
    const unit = fc.constantFrom('a', '🚀', '\ud83d', '\ude80', 'e\u0301');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), fc.nat(14), (text, max) => {
        const points = Array.from(text);
        expect(cutHead(text, max)).toBe(points.slice(0, max).join(''));
        expect(cutTail(text, max)).toBe(points.slice(Math.max(0, points.length - max)).join(''));
      }),
    );
  });
});
