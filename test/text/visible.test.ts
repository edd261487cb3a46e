import { assert, integer, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitLine, visible, visibleLine, widthOf, wrapLine } from '../../src/text/visible.ts';

describe('visible', () => {
  it.each([
    ['NUL', '\u0000', '\\u{0}'],
    ['the bell', '\u0007', '\\u{7}'],
    ['a backspace', '\b', '\\u{8}'],
    ['a carriage return', '\r', '\\u{d}'],
    ['ESC', '\u001B', '\\u{1b}'],
    ['DEL', '\u007F', '\\u{7f}'],
    ['NEL', '\u0085', '\\u{85}'],
    ['CSI', '\u009B', '\\u{9b}'],
    ['a soft hyphen', '\u00AD', '\\u{ad}'],
    ['a grapheme joiner', '\u034F', '\\u{34f}'],
    ['a Hangul filler', '\u3164', '\\u{3164}'],
    ['E05: a zero-width space', '\u200B', '\\u{200b}'],
    ['a zero-width joiner', '\u200D', '\\u{200d}'],
    ['a right-to-left mark', '\u200F', '\\u{200f}'],
    ['a line separator', '\u2028', '\\u{2028}'],
    ['a paragraph separator', '\u2029', '\\u{2029}'],
    ['E05: a right-to-left override', '\u202E', '\\u{202e}'],
    ['a word joiner', '\u2060', '\\u{2060}'],
    ['E05: a left-to-right isolate', '\u2066', '\\u{2066}'],
    ['E05: a byte order mark', '\uFEFF', '\\u{feff}'],
    ['a tag character', '\u{E0041}', '\\u{e0041}'],
    ['a variation selector', '\u{E0100}', '\\u{e0100}'],
    ['a high surrogate alone', '\uD83D', '\\u{d83d}'],
    ['a low surrogate alone', '\uDE42', '\\u{de42}'],
    ['an emoji selector after a letter', 'x\uFE0F', 'x\\u{fe0f}'],
    ['an emoji selector after a digit', '1\uFE0F', '1\\u{fe0f}'],
    ['a second emoji selector', '\u2764\uFE0F\uFE0F', '\u2764\uFE0F\\u{fe0f}'],
    ['the joiner of an emoji sequence', '\u{1F468}\u200D\u{1F469}', '\u{1F468}\\u{200d}\u{1F469}'],
  ])('writes %s out', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it.each([
    'plain text, {braces} and \\backslashes',
    'two\nlines\tand a tab',
    'naïve café, Größe, nai\u0308ve',
    '平均分是多少？　한국어 ひらがな',
    'Ελληνικά עברית العربية हिन्दी ไทย',
    '\u{1F642} \u{1F44D}\u{1F3FD} \u2764\uFE0F \u{1F1EB}\u{1F1F7}',
  ])('leaves "%s" as it is', (text) => {
    expect(visible(text)).toBe(text);
  });

  it('whatever the text, the result is well-formed, holds no control byte, and is not changed by a second pass', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 100 }), (text) => {
        const shown = visible(text.slice(1));
        expect(shown.isWellFormed()).toBe(true);
        // oxlint-disable-next-line no-control-regex
        expect(shown).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]|\p{Cf}/u);
        expect(visible(shown)).toBe(shown);
      }),
    );
  });
});

it('visibleLine writes newlines and tabs out as well', () => {
  expect(visibleLine('a\nb\tc\r\n平')).toBe('a\\u{a}b\\u{9}c\\u{d}\\u{a}平');
});

it.each([
  ['', 0],
  ['abc', 3],
  ['平均', 4],
  ['é', 1],
  ['e\u0301', 1],
  ['\u{1F642}', 2],
  ['\u{1F44D}\u{1F3FD}', 2],
  ['平'.repeat(1_000), 2_000],
])('"%s" takes %d columns', (line, columns) => {
  expect(widthOf(line)).toBe(columns);
});

describe('fitLine', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['', 3, ''],
    ['平均分', 6, '平均分'],
    ['平均分', 5, '平均…'],
    ['平均分', 4, '平…'],
    ['平均分', 2, '…'],
    ['a平', 2, 'a…'],
    ['abc', 1, '…'],
    ['ab\nc', 20, 'ab\\u{a}c'],
    ['ab\ncd', 4, 'ab\\…'],
  ])('%j in %d columns is %s', (text, columns, line) => {
    expect(fitLine(text, columns)).toBe(line);
  });

  it('A21: a preview that ends inside an emoji holds no half of it', () => {
    const text = `${'a'.repeat(79)}\u{1F680}${'b'.repeat(50)}`;
    expect(fitLine(text, 80)).toBe(`${'a'.repeat(79)}…`);
    expect(fitLine(text, 81)).toBe(`${'a'.repeat(79)}…`);
    expect(fitLine(text, 82)).toBe(`${'a'.repeat(79)}\u{1F680}…`);
    expect(fitLine(text.slice(0, 80), 100)).toBe(`${'a'.repeat(79)}\\u{d83d}`);
  });

  it('whatever the text, it is well-formed and fits', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 100 }), integer({ min: 1, max: 50 }), (text, columns) => {
        const line = fitLine(text, columns);
        expect(line.isWellFormed()).toBe(true);
        expect(widthOf(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('wrapLine', () => {
  it.each([
    ['', 4, ['']],
    ['abcd', 4, ['abcd']],
    ['abcdefghi', 4, ['abcd', 'efgh', 'i']],
    ['平均分a', 5, ['平均', '分a']],
    ['e\u0301e\u0301e\u0301', 2, ['e\u0301e\u0301', 'e\u0301']],
    ['平均', 1, ['平', '均']],
    ['\tx', 8, ['\t', 'x']],
  ])('%j in %d columns is %j', (line, columns, pieces) => {
    expect([...wrapLine(line, columns)]).toEqual(pieces);
  });

  it('a character that lies across the windows in which a long line is read stays whole', () => {
    for (const before of [253, 254, 255, 256, 257]) {
      const line = `${'平'.repeat(before)}\u{1F44D}\u{1F3FD}${'平'.repeat(300)}`;
      expect([...wrapLine(line, before * 2)][1]?.startsWith('\u{1F44D}\u{1F3FD}平')).toBe(true);
    }
  });

  it('whatever the line, the pieces are the line', () => {
    assert(
      property(
        string({ unit: 'grapheme', maxLength: 600 }),
        integer({ min: 1, max: 20 }),
        (text, columns) => {
          const line = visibleLine(text);
          expect([...wrapLine(line, columns)].join('')).toBe(line);
        },
      ),
    );
  });
});
