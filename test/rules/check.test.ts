import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { shadowOf, warningsAbout, whyNever } from '../../src/rules/check.ts';
import { parseSelector, printRule } from '../../src/rules/text.ts';
import type { Rule } from '../../src/ports.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const tool = (name: string, input: z.ZodObject) =>
  defineTool({ name, description: name, input, effects: 'none', run: () => '' }).definition;

const TOOLS = [
  tool(
    'read',
    z.strictObject({
      path: z.string(),
      line: z.int().optional(),
      note: z.string().nullable(),
      paths: z.array(z.string()),
      any: z.any(),
      either: z.union([z.int(), z.string()]),
    }),
  ),
  tool('count', z.strictObject({ limit: z.int() })),
  tool('open', z.looseObject({ limit: z.int() })),
];

const ruleOf = (text: string): Rule => {
  const [verdict = '', ...rest] = text.split(' ');
  return { ...parseSelector(rest.join(' ')), verdict: verdict as Rule['verdict'] };
};

describe('a rule', () => {
  it.each([
    ['deny read', null],
    ['deny *', null],
    ['deny raed', /no tool raed\. Tools of the run are: read, count, open\./],
    ['deny read(path=x)', null],
    ['deny read(note=x)', null],
    ['deny read(paths=x)', null],
    ['deny read(any=x)', null],
    ['deny read(either=x)', null],
    ['deny read(pth=x)', /read has no argument pth\. It has: path, line, note/],
    ['deny read(line=x)', /The argument line is no text/],
    ['deny count(limit>3)', /The argument limit is no text/],
    ['deny open(more=x)', null],
    ['deny *(path=x)', null],
    ['deny *(constructor=x)', null],
  ])('%s can match, or it is said why not: %s', (text, says) => {
    const why = whyNever(ruleOf(text), TOOLS);
    if (says === null) expect(why).toBeNull();
    else expect(why).toMatch(says);
  });

  it('of all tools can never match where none has its argument', () => {
    expect(whyNever(ruleOf('deny *(pth=x)'), TOOLS.slice(0, 2))).toBe('No tool has an argument pth.');
    expect(whyNever(ruleOf('deny *'), [])).toBe('The run has no tools.');
  });

  it.each([
    ['allow read', ['ask read'], 'ask read'],
    ['allow read(path=x)', ['ask read'], 'ask read'],
    ['ask read(path=x)', ['deny read(path=x)'], 'deny read(path=x)'],
    ['allow read(path=x)', ['deny *(path=x)'], 'deny *(path=x)'],
    ['ask read', ['deny *'], 'deny *'],
    ['ask read', ['deny read(path=x)'], null],
    ['ask *', ['deny read'], null],
    ['deny read', ['ask read', 'allow read', 'deny read'], null],
    ['allow read(path=x)', ['deny read(path=y)'], null],
    ['allow read(path=x)', ['deny read(path*=x)'], null],
  ])('%s beside %s is shadowed by %s', (text, others, shadow) => {
    const found = shadowOf(ruleOf(text), others.map(ruleOf));
    expect(found === null ? null : printRule(found)).toBe(shadow);
  });

  it('that does nothing is warned of once, with what to look at', () => {
    const rules = ['allow read', 'deny read', 'ask nothing', 'allow count'].map(ruleOf);
    expect(warningsAbout(rules, TOOLS)).toEqual([
      'The rule "allow read" never decides: "deny read" is stronger.',
      'The rule "ask nothing" can never match. There is no tool nothing. Tools of the run are: read, count, open.',
    ]);
  });
});
