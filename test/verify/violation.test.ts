import { expect, it } from 'vitest';
import { shown } from '../../src/verify/violation.ts';

const x = 'x'.repeat(59);

it.each([
  ['', ''],
  [`${x}y`, `${x}y`],
  [`${x}yz`, `${x}y…`],
  [`${x}😀`, `${x}\ufffd…`],
])('of %j a sentence shows %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});
