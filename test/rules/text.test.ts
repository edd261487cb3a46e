import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { rulesSchema } from '../../src/rules/schema.ts';
import { parseSelector, printRule, printSelector } from '../../src/rules/text.ts';
import { anyRule } from './arbitraries.ts';

describe('the text of a rule', () => {
  it.each([
    ['run_python', { tool: 'run_python' }],
    ['*', { tool: '*' }],
    ['read_file(path=data/**)', { tool: 'read_file', match: { argument: 'path', glob: 'data/**' } }],
    ['t(a*=x)', { tool: 't', match: { argument: 'a', contains: 'x' } }],
    ['t(a~=/import os/)', { tool: 't', match: { argument: 'a', regex: 'import os' } }],
    ['t(a~=/a/b[)]/)', { tool: 't', match: { argument: 'a', regex: 'a/b[)]' } }],
    ['t(a>=3)', { tool: 't', match: { argument: 'a', atLeast: 3 } }],
    ['t(a>3)', { tool: 't', match: { argument: 'a', atLeast: 4 } }],
    ['t(a<=3)', { tool: 't', match: { argument: 'a', atMost: 3 } }],
    ['t(a<3)', { tool: 't', match: { argument: 'a', atMost: 2 } }],
    ['*(path=*)', { tool: '*', match: { argument: 'path', glob: '*' } }],
    ['t(a==b)', { tool: 't', match: { argument: 'a', glob: '=b' } }],
    ['t(a*=)))', { tool: 't', match: { argument: 'a', contains: '))' } }],
    ['t(a*=x\ny)', { tool: 't', match: { argument: 'a', contains: 'x\ny' } }],
    ['t(a*= x )', { tool: 't', match: { argument: 'a', contains: ' x ' } }],
  ])('%s is read', (text, selector) => {
    expect(parseSelector(text)).toEqual(selector);
  });

  it.each([
    ['', /no rule\. Write TOOL/],
    [' run_python', /no rule/],
    ['run python', /no rule/],
    ['t()', /no rule/],
    ['t(a=)', /no rule/],
    ['t(a)', /no rule/],
    ['t(=x)', /no rule/],
    ['t(a=x', /no rule/],
    ['t(a=x) ', /no rule/],
    ['t(a b=x)', /no rule/],
    ['t'.repeat(65), /no rule/],
    ['t(a~=os)', /between slashes/],
    ['t(a~=/)', /between slashes/],
    ['t(a~=//)', /must not be empty/],
    ['t(a~=/(/)', /no regular expression of RE2/],
    ['t(a~=/(?=x)/)', /no look-around/],
    ['t(a~=/(a)\\1/)', /no back references/],
    ['t(a~=/(a{100}){9}/)', /too large/],
    ['t(a>x)', /no size/],
    ['t(a>-1)', /no size/],
    ['t(a>1e3)', /no size/],
    ['t(a<0)', /no rule/],
    [`t(a*=${'x'.repeat(1_001)})`, /1000 characters at most/],
    ['t(a*=\ud800)', /half a character/],
    [`t(a=${'{a,b}'.repeat(30)})`, /more than 100 globs/],
  ])('%j is wrong use, and the error says why', (text, says) => {
    expect(() => parseSelector(text)).toThrow(UserError);
    expect(() => parseSelector(text)).toThrow(says);
  });

  it('shows nothing of a hostile text as it is', () => {
    const message = (): string => {
      try {
        parseSelector(`\u001b]0;x\u0007${'x'.repeat(10_000)}`);
        return '';
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
    };
    expect(message()).not.toMatch(/\p{Cc}/u);
    expect(message().length).toBeLessThan(600);
  });

  it('says all that a rule says: what is printed is read back', () => {
    fc.assert(
      fc.property(anyRule, ({ verdict, ...selector }) => {
        expect(parseSelector(printSelector(selector))).toEqual(selector);
        expect(printRule({ verdict, ...selector })).toBe(`${verdict} ${printSelector(selector)}`);
      }),
    );
  });
});

describe('the shape of rules', () => {
  it.each([
    { rules: [{ tool: 't', verdict: 'deny', match: { argument: 'a', glob: 'x' } }], says: null },
    { rules: [{ tool: 't', verdict: 'maybe' }], says: /allow.*ask.*deny/ },
    { rules: [{ tool: 't', verdict: 'deny', mach: 1 }], says: /mach/ },
    { rules: [{ tool: 't(a=b)', verdict: 'deny' }], says: /A tool has letters/ },
    { rules: [{ tool: 't', verdict: 'deny', match: {} }], says: /one of glob, contains/ },
    { rules: [{ tool: 't', verdict: 'deny', match: null }], says: /one of glob, contains/ },
    {
      rules: [{ tool: 't', verdict: 'deny', match: { argument: 'a', glob: 'x', contains: 'y' } }],
      says: /one of glob, contains/,
    },
    { rules: [{ tool: 't', verdict: 'deny', match: { argument: 'a', regex: '(' } }], says: /RE2/ },
    { rules: [{ tool: 't', verdict: 'deny', match: { argument: 'a', atLeast: 1.5 } }], says: /int/ },
    { rules: [{ tool: 't', verdict: 'deny', match: { argument: '', glob: 'x' } }], says: /An argument has/ },
    {
      rules: Array.from({ length: 20 }, () => ({
        tool: 't',
        verdict: 'deny',
        match: { argument: 'a', regex: 'a{200}' },
      })),
      says: /too large together/,
    },
    { rules: Array.from({ length: 1_001 }, () => ({ tool: 't', verdict: 'deny' })), says: /1000 rules/ },
  ])('is checked, and the error says what is wrong: $says', ({ rules, says }) => {
    const parsed = rulesSchema.safeParse(rules);
    expect(parsed.success).toBe(says === null);
    if (says !== null) expect(parsed.error?.message).toMatch(says);
  });
});
