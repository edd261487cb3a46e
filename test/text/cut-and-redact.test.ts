import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutHead, cutTail, headAndTail } from '../../src/text/cut.ts';
import { createRedactor, secretsOf } from '../../src/text/redact.ts';

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

describe('masking', () => {
  it('leaves no secret in a text, also where one holds another', () => {
    fc.assert(
      fc.property(words, fc.array(fc.string({ minLength: 8, maxLength: 12 })), (text, secrets) => {
        const masked = createRedactor(secrets)(`${text}${secrets.join(text)}`);
        for (const secret of secrets)
          if (!'[redacted]'.includes(secret)) expect(masked).not.toContain(secret);
      }),
    );
    expect(createRedactor(['12345678', '123456789'])('123456789')).toBe('[redacted]');
  });

  it('leaves no secret where secrets overlap, and changes nothing else', () => {
    const unit = fc.constantFrom('a', 'b');
    const secret = fc.string({ unit, minLength: 8, maxLength: 9 });
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), fc.array(secret, { maxLength: 3 }), (text, secrets) => {
        const masked = createRedactor(secrets)(text);
        for (const one of secrets) expect(masked).not.toContain(one);
        if (secrets.every((one) => !text.includes(one))) expect(masked).toBe(text);
      }),
    );
  });

  it('does not touch short values, which occur by chance', () => {
    expect(createRedactor(['1234567'])('1234567')).toBe('1234567');
  });

  it('takes a secret with a dollar sign as it is', () => {
    expect(createRedactor(['pa$$word$&1'])('x pa$$word$&1 y')).toBe('x [redacted] y');
  });

  it.each([
    ['ANTHROPIC_API_KEY', true],
    ['ANTHROPIC_AUTH_TOKEN', true],
    ['AWS_SECRET_ACCESS_KEY', true],
    ['FOO_TOKEN', true],
    ['DATABASE_URL', true],
    ['DB_PASSWORD', true],
    ['SENTRY_DSN', true],
    ['PATH', false],
    ['HOME', false],
    ['KEYBOARD', false],
    ['MONKEY', false],
  ])('%s is a secret: %s', (name, isSecret) => {
    expect(secretsOf({ [name]: 'some-value' })).toEqual(isSecret ? ['some-value'] : []);
  });
});
