import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { depthOf, globMatcher } from '../../src/tools/glob.ts';

describe('a glob', () => {
  it.each([
    { glob: '*', is: ['a', '.env', 'a b'], isNot: ['a/b'] },
    { glob: '*.csv', is: ['a.csv', '.csv', 'a\n.csv'], isNot: ['a.csvx', 'b/a.csv', 'acsv'] },
    { glob: './*.csv', is: ['a.csv'], isNot: ['./a.csv'] },
    { glob: '/src/', is: ['src'], isNot: ['a/src'] },
    { glob: '', is: ['a'], isNot: ['a/b'] },
    { glob: '**', is: ['a', 'a/b', '.a/.b/c'], isNot: [''] },
    { glob: '**/*.csv', is: ['a.csv', 'x/a.csv', 'x/y/a.csv'], isNot: ['a.txt'] },
    { glob: 'a/**', is: ['a/b', 'a/b/c'], isNot: ['a', 'ab/c', 'x/a/b'] },
    { glob: 'a/**/b', is: ['a/b', 'a/x/b', 'a/x/y/b'], isNot: ['ab', 'a/xb'] },
    { glob: 'a**b', is: ['ab', 'axb'], isNot: ['a/b'] },
    { glob: 'a?c', is: ['abc', 'a\u{1F680}c'], isNot: ['ac', 'a/c'] },
    { glob: '[a-c].txt', is: ['b.txt'], isNot: ['d.txt', '-.txt'] },
    { glob: '[!a-c]', is: ['d', '.'], isNot: ['a', '/'] },
    { glob: '[]x]', is: [']', 'x'], isNot: ['[]x]'] },
    { glob: String.raw`[\d]`, is: ['d', '\\'], isNot: ['1'] },
    { glob: '*.{ts,tsx}', is: ['a.ts', 'a.tsx'], isNot: ['a.js', 'a.{ts,tsx}'] },
    { glob: '{a,b{c,d}}', is: ['a', 'bc', 'bd'], isNot: ['b', 'ac'] },
    { glob: '{a,b', is: ['{a,b'], isNot: ['a'] },
    { glob: 'a}{', is: ['a}{'], isNot: ['a'] },
    { glob: 'a,b', is: ['a,b'], isNot: ['a'] },
    { glob: String.raw`\*\{a`, is: ['*{a'], isNot: ['x{a'] },
    { glob: '(a+)+$|^', is: ['(a+)+$|^'], isNot: ['aa', ''] },
  ])('$glob matches $is and not $isNot', ({ glob, is, isNot }) => {
    const matches = globMatcher(glob);
    expect(is.filter((path) => !matches(path))).toEqual([]);
    expect(isNot.filter((path) => matches(path))).toEqual([]);
  });

  it.each([
    ['*', 0],
    ['./a/*', 1],
    ['{a/b,c}', 1],
    ['**/a', Infinity],
  ])('%s goes down %d folders', (glob, depth) => {
    expect(depthOf(glob)).toBe(depth);
  });

  it('takes linear time, whatever it is', () => {
    const long = 'a'.repeat(4_000);
    for (const glob of ['*a'.repeat(50), `{${'a*,'.repeat(50)}b}*c`, `${'**/'.repeat(50)}b`]) {
      const startedAt = performance.now();
      expect(globMatcher(glob)(`${long}b`)).toBe(false);
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    }
  });

  it('matches itself where it has nothing special, and names a range that is none', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', 'B', '.', '+', '(', ')', '|', '^', '$', ' ', 'é') });
    fc.assert(fc.property(plain, (text) => text === '' || globMatcher(text)(text)));
    expect(() => globMatcher('[z-a]')).toThrow(/range/);
  });
});
