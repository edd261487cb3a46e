import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../src/ports.ts';
import { compileRules, decidedBy, type Kind } from '../../src/rules/decide.ts';
import { compileMatch, type Workspace } from '../../src/rules/match.ts';
import { parseSelector } from '../../src/rules/text.ts';
import { anyRule, VERDICTS } from './arbitraries.ts';
import { plainWorkspace } from './places.ts';

const subject = (tool: string, input: unknown) => ({ tool, parsed: input, sent: input });

const isMatch = (
  text: string,
  verdict: Rule['verdict'],
  input: Readonly<Record<string, unknown>>,
  workspace = plainWorkspace(),
): boolean => compileMatch({ ...parseSelector(text), verdict }, workspace)(subject('t', input));

interface Row {
  readonly rule: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly allow: boolean;
  /** Where it is not the same: what cannot be said for sure tightens. */
  readonly deny?: boolean;
}

describe('a rule is about a call', () => {
  const path = (rule: string, to: unknown, allow: boolean, deny = allow): Row => ({
    rule: `t(path=${rule})`,
    input: { path: to },
    allow,
    deny,
  });
  const text = (operation: string, code: unknown, allow: boolean, deny = allow): Row => ({
    rule: `t(code${operation})`,
    input: { code },
    allow,
    deny,
  });
  it.each<Row>([
    { rule: 't', input: {}, allow: true },
    { rule: '*', input: {}, allow: true },
    { rule: 'other', input: {}, allow: false },
    { rule: 't(path=**)', input: {}, allow: false },
    path('b', 'b', true),
    path('b', './b', true),
    path('b', 'a/../b', true),
    path('b', 'b/', true),
    path('b', '/project/b', true),
    path('b', 'c', false),
    path('./b', 'b', true),
    path('data/**', 'data/x/y.csv', true),
    path('data/**', 'data/.hidden', true),
    path('data/**', 'data', true),
    path('data/**', 'data/../secret', false),
    path('data/**', 'database', false),
    path('data/**', '../data/x', false),
    path('**', '../x', false, true),
    path('/etc/**', '/etc/passwd', false, true),
    path('**', '.', true),
    path('*', '.', false),
    path('*.csv', 'a/b.csv', false),
    path('**/*.csv', 'b.csv', true),
    path('{a,b}.csv', 'b.csv', true),
    path('!b', 'c', false),
    path('B', 'b', false),
    path('ä', 'a\u0308', true),
    path('data/**', ['data/a', 'data/b'], true),
    path('data/**', ['data/a', 'b'], false, true),
    path('data/**', ['data/a', 7], false, true),
    path('data/**', [], false),
    path('data/**', 7, false),
    path('7', 7, false, true),
    path('7', [7], false, true),
    path('data/**', { to: 'data/a' }, false, true),
    path('data/**', [['data/a']], false, true),
    path('data/**', null, false),
    path('data/**', [null], false),
    path('link', 'link', false, true),
    path('secret', 'link', false, true),
    path('{link,secret}', 'link', true),
    text('*=os', 'import os', true),
    text('*=os', 'import so', false),
    text('*=.', 'a', false),
    text('~=/^import os$/', 'import os', true),
    text('~=/^import os$/', 'import os\nx', false),
    text('~=/(?i)OS/', 'import os', true),
    text('~=/os/', 'x'.repeat(50_001), false, true),
    text('*=os', { text: 'import so' }, false, true),
    text('*=rue', true, false, true),
    text('>3', 'four', true),
    text('>3', 'two', false),
    text('<=3', 'two', true),
    text('<=3', 'four', false),
  ])('$rule of $input: as an allow $allow, as a deny $deny', ({ rule, input, allow, deny = allow }) => {
    const workspace = plainWorkspace({ link: 'secret' });
    expect(isMatch(rule, 'allow', input, workspace)).toBe(allow);
    expect(isMatch(rule, 'deny', input, workspace)).toBe(deny);
    expect(isMatch(rule, 'ask', input, workspace)).toBe(deny);
  });

  it('in the case that the file system has', () => {
    expect(isMatch('t(path=SECRET/**)', 'deny', { path: 'secret/a' })).toBe(false);
    expect(isMatch('t(path=SECRET/**)', 'deny', { path: 'secret/a' }, plainWorkspace({}, true))).toBe(true);
  });

  it.each([
    { parsed: 'b', sent: undefined, allow: true, deny: true },
    { parsed: new URL('file:///b'), sent: 'b', allow: true, deny: true },
    { parsed: 'b', sent: ' b ', allow: true, deny: true },
    { parsed: 'c', sent: 'b', allow: false, deny: true },
    { parsed: 'c', sent: 'c', allow: false, deny: false },
  ])('by the input as its schema reads it, and denies it also as sent: $parsed, $sent', (row) => {
    const about = (verdict: Rule['verdict']) =>
      compileMatch(
        { ...parseSelector('t(path=b)'), verdict },
        plainWorkspace(),
      )({ tool: 't', parsed: { path: row.parsed }, sent: { path: row.sent } });
    expect(about('allow')).toBe(row.allow);
    expect(about('deny')).toBe(row.deny);
  });

  it('in a time that grows with the text alone, whatever the rule', () => {
    const globs = ['*a'.repeat(400), '**/a/'.repeat(150), '+(a|aa)+(a|aa)b'].map((glob) => ({ glob }));
    const regexes = ['(a+)+$', '(a|a)*b', '[ab]*a[ab]{280}c'].map((regex) => ({ regex }));
    const input = { a: `c${'ab'.repeat(20_000)}` };
    const began = performance.now();
    for (const match of [...globs, ...regexes])
      compileMatch(
        { tool: '*', verdict: 'deny', match: { argument: 'a', ...match } },
        plainWorkspace(),
      )(subject('t', input));
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

const STRENGTH = { deny: 0, ask: 1, allow: 2, null: 3 };

describe('the rules decide', () => {
  const workspace: Workspace = plainWorkspace({ a: 'b' });
  const rules = fc.array(anyRule, { maxLength: 8 });
  const call = fc.record({
    tool: fc.constantFrom('read_file', 'run_python'),
    input: fc.record(
      {
        path: fc.constantFrom('a', 'b', 'data/x', '../a', 'x.csv'),
        code: fc.string({ maxLength: 5 }),
        paths: fc.array(fc.constantFrom('a', 'data/x'), { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
  });
  const kind = fc.record<Kind>({ effects: fc.constantFrom('none', 'some'), approveAll: fc.boolean() });
  const ruled = (given: readonly Rule[], { tool, input }: { tool: string; input: unknown }, of: Kind) =>
    compileRules(given, workspace)(subject(tool, input), of);

  it('the same in whatever order they stand, and by the same rule', () => {
    const shuffled = rules.chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
    );
    fc.assert(
      fc.property(shuffled, call, kind, ([given, other], made, of) => {
        expect(ruled(other, made, of)).toEqual(ruled(given, made, of));
      }),
    );
  });

  it('nothing looser when a deny or an ask is added, and nothing stricter when an allow is', () => {
    fc.assert(
      fc.property(rules, anyRule, call, kind, (given, more, made, of) => {
        const [before, after] = [ruled(given, made, of), ruled([...given, more], made, of)];
        const change = STRENGTH[after.verdict] - STRENGTH[before.verdict];
        if (more.verdict === 'deny') expect(change).toBeLessThanOrEqual(0);
        if (more.verdict === 'ask' && !(before.by === null && before.verdict === 'ask'))
          expect(change).toBeLessThanOrEqual(0);
        if (more.verdict === 'allow') expect(change).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('that a denied call stays denied with --yes, and that nothing is asked for', () => {
    fc.assert(
      fc.property(rules, call, fc.constantFrom('none', 'some'), (given, made, effects) => {
        const without = ruled(given, made, { effects, approveAll: false });
        const withYes = ruled(given, made, { effects, approveAll: true });
        expect(withYes.verdict).toBe(without.verdict === 'deny' ? 'deny' : 'allow');
        expect(decidedBy(withYes.by)).toBe(without.verdict === 'ask' ? 'approveAll' : decidedBy(without.by));
      }),
    );
  });

  it('by the strongest rule about the call, by the default of its kind where there is none', () => {
    fc.assert(
      fc.property(rules, call, fc.constantFrom('none', 'some'), (given, made, effects) => {
        const about = given.filter((rule) => compileMatch(rule, workspace)(subject(made.tool, made.input)));
        const strongest = VERDICTS.findLast((verdict) => about.some((rule) => rule.verdict === verdict));
        const { verdict, by } = ruled(given, made, { effects, approveAll: false });
        expect(verdict).toBe(strongest ?? (effects === 'none' ? 'allow' : 'ask'));
        if (strongest === undefined) expect(by).toBeNull();
        else expect(about).toContainEqual(by);
      }),
    );
  });
});
