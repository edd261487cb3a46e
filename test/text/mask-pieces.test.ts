import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, maskPieces, pieceMask, type Redactor } from '../../src/text/redact.ts';

function inPieces(redact: Redactor, pieces: readonly string[], isCut = false): string {
  const mask = pieceMask(redact);
  return pieces.map((piece) => mask.push(piece)).join('') + mask.end({ isCut });
}

const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength });

describe('a text in pieces', () => {
  it('is masked as the whole text is, however it is cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.array(letters(0, 12), { maxLength: 8 }),
        fc.array(letters(8, 11), { maxLength: 3 }),
        (pieces, secrets) => {
          const redact = createRedactor(secrets);
          expect(inPieces(redact, pieces)).toBe(redact(pieces.join('')));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  const redact = createRedactor(['secret-0123', 'other-9876']);
  it.each([
    { pieces: ['plain'], passed: 'plain' },
    { pieces: ['it is secret', '-01', '23.'], passed: 'it is [redacted].' },
    { pieces: ['secret-012'], passed: 'secret-012' },
    { pieces: ['secret-012'], isCut: true, passed: '[redacted]' },
    { pieces: ['x secr', 'et-0'], isCut: true, passed: 'x [redacted]' },
    { pieces: ['secret-'], isCut: true, passed: 'secret-' },
    { pieces: ['secret-0123'], isCut: true, passed: '[redacted]' },
    { pieces: ['secret-', 'secret-0123other-9876'], passed: 'secret-[redacted][redacted]' },
  ])('$pieces, cut off: $isCut, is passed on as $passed', ({ pieces, isCut = false, passed }) => {
    expect(inPieces(redact, pieces, isCut)).toBe(passed);
  });

  it('is passed on at once, but for what may be the start of a secret', () => {
    const mask = pieceMask(redact);
    expect(['step 1', ' is', ' se', 'ven'].map((piece) => mask.push(piece))).toEqual([
      'step 1',
      ' i',
      's ',
      'seven',
    ]);
  });

  it('is given to a function of the host in whole lines, and in parts where a line is very long', () => {
    const seen: string[] = [];
    const own = (text: string): string => {
      seen.push(text.length > 20 ? String(text.length) : text);
      return text.replaceAll(/key=\S+/g, 'key=?');
    };
    const long = 'x'.repeat(70_000);
    expect(inPieces(own, ['a key', '=12', '3\nb ', 'c\nd', long, 'e'])).toBe(`a key=?\nb c\nd${long}e`);
    expect(seen).toEqual(['a key=123\n', 'b c\n', '70001', 'e']);
  });

  it('of a stream ends with what was held back', async () => {
    async function* source(): AsyncGenerator<string> {
      yield 'a secret-01';
      yield '23 b secr';
    }
    let passed = '';
    for await (const piece of maskPieces(source(), redact)) passed += piece;
    expect(passed).toBe('a [redacted] b secr');
  });
});
