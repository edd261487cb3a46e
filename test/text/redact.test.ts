import { describe, expect, it } from 'vitest';
import { createRedactor, secretsOf } from '../../src/text/redact.ts';

describe('a secret of the environment', () => {
  it.each([
    { value: 'sk-ant-1234', text: 'key sk-ant-1234.', masked: 'key [redacted].' },
    { value: ' sk-ant-1234\n', text: 'key sk-ant-1234.', masked: 'key [redacted].' },
    { value: ' 1234567 ', text: 'key 1234567.', masked: 'key 1234567.' },
    { value: ' '.repeat(9), text: `a${' '.repeat(9)}b`, masked: `a${' '.repeat(9)}b` },
    { value: undefined, text: 'undefined', masked: 'undefined' },
  ])('D14: of value $value makes $text to $masked', ({ value, text, masked }) => {
    expect(createRedactor(secretsOf({ ANTHROPIC_API_KEY: value }))(text)).toBe(masked);
  });
});
