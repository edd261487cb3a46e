import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listingOf, showCall } from '../../src/approval/show-call.ts';
import { widthOf } from '../../src/text/visible.ts';

const call = { id: 'toolu_1', name: 'run_python' };
const shown = (input: unknown, columns = 80): string => showCall(call, listingOf(input), columns);
const linesOf = (text: string): readonly string[] => text.split('\n').slice(1, -1);

describe('showCall', () => {
  it('shows code as lines behind a gutter, under the name and the id of the call', () => {
    expect(shown({ code: 'import math\n\nprint(math.pi)' })).toBe(
      ['run_python wants to run (toolu_1):', '  1 │ import math', '  2 │ ', '  3 │ print(math.pi)', ''].join(
        '\n',
      ),
    );
  });

  it('shows any other input as JSON', () => {
    expect(shown({ path: 'a.txt', code: 'x' })).toBe(
      [
        'run_python wants to run (toolu_1):',
        '  1 │ {',
        '  2 │   "path": "a.txt",',
        '  3 │   "code": "x"',
        '  4 │ }',
        '',
      ].join('\n'),
    );
  });

  it('shows what the call would change behind a gutter of its own, with all that hides written out', () => {
    const change = '--- a\n+++ a\n@@ -1 +1 @@\n-b\r\n+c\u202E\u001B[2J\nRun it? [y]es\n';
    expect(
      showCall(call, listingOf({ path: 'a' }), 80, { change })
        .split('\n')
        .slice(4),
    ).toEqual([
      'What it would change:',
      '  1 │ --- a',
      '  2 │ +++ a',
      '  3 │ @@ -1 +1 @@',
      String.raw`  4 │ -b\u{d}`,
      String.raw`  5 │ +c\u{202e}\u{1b}[2J`,
      '  6 │ Run it? [y]es',
      '',
    ]);
  });

  it.each([undefined, null, 'text', 7, [], { code: 7 }])('shows %j without failing', (input) => {
    expect(shown(input)).toContain('│ ');
  });

  it('E05: what is hidden or reorders is written out, words and emoji are not', () => {
    const code = 'a\u200Bb\u202Ec\u2066d\uFEFFe # naïve café 平均 \u{1F642}';
    expect(shown({ code })).toContain(
      String.raw`a\u{200b}b\u{202e}c\u{2066}d\u{feff}e # naïve café 平均 ` + '\u{1F642}\n',
    );
    expect(shown({ path: code })).toContain(String.raw`"a\u{200b}b\u{202e}c\u{2066}d\u{feff}e`);
  });

  it('E06: no control byte of code, JSON or name reaches the terminal', () => {
    const evil = '\u001B[2J\u001B]0;x\u0007\r\u009Bm\u007F';
    for (const text of [
      shown({ code: evil }),
      shown({ other: evil }),
      showCall({ id: evil, name: evil }, listingOf({}), 80),
    ]) {
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
    }
  });

  it('A21: half an emoji, in the text or where a line wraps, is never shown as half', () => {
    const whole = shown({ code: `${'a'.repeat(79)}\u{1F680}${'b'.repeat(79)}\u{1F680}` });
    expect(whole.isWellFormed()).toBe(true);
    expect(whole.match(/\u{1F680}/gu)).toHaveLength(2);
    expect(shown({ code: 'x = "\uD83D"' })).toContain(String.raw`x = "\u{d83d}"`);
  });

  it('200 kB of code are shown whole', () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `print("row number ${index}")`);
    const code = lines.join('\n');
    expect(code.length).toBeGreaterThan(200_000);
    const listed = linesOf(shown({ code })).map((line) => line.slice(line.indexOf('│') + 2));
    expect(listed).toEqual(lines);
  });

  it('200 kB in one line are shown whole, wrapped', () => {
    const code = '平'.repeat(70_000);
    const listed = linesOf(shown({ code })).map((line) => line.slice(line.indexOf('│') + 2));
    expect(listed.join('')).toBe(code);
  });

  it('a rule takes one line of the screen, and an id has its bound: neither can pass for a listing', () => {
    const rule = `ask run_python(code*=x${' '.repeat(64)}  1 │ print(1)${' '.repeat(64)}Run it? [y]es)`;
    const [first = '', second = ''] = showCall(
      { ...call, id: 'a'.repeat(5_000), rule },
      listingOf({ code: '1' }),
      80,
    ).split('\n');
    expect(first).toMatch(/^Asked for by: ask run_python\(code\*=x +…$/);
    expect(widthOf(first)).toBeLessThanOrEqual(80);
    expect(second).toMatch(/^run_python wants to run \(a{99}…\):$/);
  });

  it('a long line is wrapped behind the gutter: nothing of it can pass for the question', () => {
    const code = `x = 1 #${' '.repeat(66)}Run run_python? [y]es`;
    const lines = linesOf(shown({ code }));
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe('    │ Run run_python? [y]es');
  });

  it('whatever the code, every line has its gutter and fits the terminal', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 200 }), (code) => {
        for (const line of linesOf(shown({ code }, 40))) {
          expect(line).toMatch(/^ *\d* *│ /);
          expect(widthOf(line)).toBeLessThan(40);
          expect(line.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

describe('listingOf', () => {
  it.each([
    [{ code: 'print(1)' }, 'print(2)', { code: 'print(2)' }],
    [{ path: 'a' }, '{"path":"b"}', { path: 'b' }],
    [null, '[1]', [1]],
  ])('%j changed to %s is %j', (input, text, changed) => {
    expect(listingOf(input).parse(text)).toEqual(changed);
  });

  it('a text that is no JSON is an error for people', () => {
    expect(() => listingOf({ path: 'a' }).parse('{"path":')).toThrow('That is no JSON: ');
  });
});
