import { chmod, link, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/text/redact.ts';
import { searchFiles } from '../../src/tools/search-files.ts';
import { call, contextIn, filled } from './box.ts';
import { swapped } from './swapper.ts';

const lines = (...all: readonly string[]): string => all.join('\n');

const FILES = {
  'b.py': 'import math\nprint(math.pi)\n',
  'a.txt': 'Total: 7\r\ntotal: 8\r\n\r\nend',
  'notes/a.md': lines('one', 'two', 'total', 'four', 'five', 'six', 'seven', 'total again', 'nine'),
  'notes/deep/b.py': 'total = 1',
  'data.bin': 'total\0',
  'out.log': 'total',
  '.gitignore': '*.log',
  '.git/config': 'total',
  '.turnstile/a': 'total',
  'latin1.txt': 'x',
};

async function find(input: Readonly<Record<string, unknown>>, files = FILES): Promise<string> {
  const work = await filled(files);
  await writeFile(join(work, 'latin1.txt'), Buffer.from('caf\u00e9 costs', 'latin1'));
  return (await call(searchFiles(), work, input)).content;
}

describe('search_files', () => {
  it.each([
    {
      input: { pattern: '^total' },
      says: lines(
        'a.txt:2: total: 8',
        'notes/a.md:3: total',
        'notes/a.md:8: total again',
        'notes/deep/b.py:1: total = 1',
      ),
    },
    {
      input: { pattern: 'TOTAL:', ignore_case: true },
      says: lines('a.txt:1: Total: 7', 'a.txt:2: total: 8'),
    },
    { input: { pattern: 'math.pi)', fixed: true }, says: 'b.py:2: print(math.pi)' },
    { input: { pattern: 'MATH.PI)', fixed: true, ignore_case: true }, says: 'b.py:2: print(math.pi)' },
    { input: { pattern: 'end$' }, says: 'a.txt:4: end' },
    { input: { pattern: '^$', path: 'a.txt' }, says: 'a.txt:3: ' },
    { input: { pattern: 'costs' }, says: 'latin1.txt:1: caf\uFFFD costs' },
    { input: { pattern: 'total', glob: '*.py' }, says: 'notes/deep/b.py:1: total = 1' },
    { input: { pattern: 'total', path: 'notes', glob: 'deep/*' }, says: 'notes/deep/b.py:1: total = 1' },
    { input: { pattern: 'total', path: 'notes/deep/b.py' }, says: 'notes/deep/b.py:1: total = 1' },
    { input: { pattern: 'total', glob: '*.log', include_ignored: true }, says: 'out.log:1: total' },
    { input: { pattern: 'total', path: 'out.log' }, says: 'out.log:1: total' },
    {
      input: { pattern: 'total', path: 'notes', glob: '*.md', context_lines: 1 },
      says: lines(
        'notes/a.md-2- two',
        'notes/a.md:3: total',
        'notes/a.md-4- four',
        '--',
        'notes/a.md-7- seven',
        'notes/a.md:8: total again',
        'notes/a.md-9- nine',
      ),
    },
    {
      input: { pattern: 'tot|fi', path: 'notes', context_lines: 1, glob: 'a.md' },
      says: lines(
        'notes/a.md-2- two',
        'notes/a.md:3: total',
        'notes/a.md-4- four',
        'notes/a.md:5: five',
        'notes/a.md-6- six',
        'notes/a.md-7- seven',
        'notes/a.md:8: total again',
        'notes/a.md-9- nine',
      ),
    },
    {
      input: { pattern: '= 1|pi', context_lines: 1 },
      says: lines('b.py-1- import math', 'b.py:2: print(math.pi)', '--', 'notes/deep/b.py:1: total = 1'),
    },
    { input: { pattern: 'nowhere' }, says: /^No line matches "nowhere" in 6 files\. .*ignore_case/ },
    { input: { pattern: 'a', glob: '*.rs' }, says: /^No file was searched/ },
    { input: { pattern: 'a', glob: '[z-a]' }, says: /is no glob/ },
    { input: { pattern: '(?=a)' }, says: /is no regular expression: .*\(\?=.*fixed: true/ },
    { input: { pattern: '(' }, says: /is no regular expression: missing closing/ },
    { input: { pattern: '' }, says: /is empty/ },
    { input: { pattern: 'a\nb' }, says: /holds a line break.*one by one/ },
    { input: { pattern: 'a{900}b{900}' }, says: /is too large/ },
    { input: { pattern: 'a'.repeat(501) }, says: /is too large/ },
    { input: { pattern: 'a', path: 'none' }, says: /^There is no file or folder "none"/ },
    { input: { pattern: 'a', path: '../x' }, says: /is outside the workspace/ },
    { input: { pattern: 'a', path: '.turnstile' }, says: /belongs to the program/ },
  ])('for $input gives $says', async ({ input, says }) => {
    if (typeof says === 'string') expect(await find(input)).toBe(says);
    else expect(await find(input)).toMatch(says);
  });

  it('stops at its cap, says so, and says how to see others', async () => {
    const work = await filled({ a: 'x\n'.repeat(3), b: 'x\n'.repeat(3) });
    const found = async (maxLines: number): Promise<string> =>
      (await call(searchFiles({ maxLines }), work, { pattern: 'x' })).content;
    expect(await found(4)).toMatch(
      /^a:1: x\na:2: x\na:3: x\nb:1: x\n\[these are the first 4 lines that match; there are more\. To/,
    );
    expect(await found(3)).toMatch(/^a:1: x\na:2: x\na:3: x\n\[these are the first 3 lines/);
    expect(await found(6)).toBe(lines('a:1: x', 'a:2: x', 'a:3: x', 'b:1: x', 'b:2: x', 'b:3: x'));
  });

  it('cuts long lines, and says what it has not searched', async () => {
    const work = await filled({ long: `total${'x'.repeat(20_000)}end`, large: 'x'.repeat(100), hard: 'x' });
    await link(join(work, 'hard'), join(work, 'hard2'));
    const tool = searchFiles({ maxFileBytes: 50_000 });
    const { content } = await call(tool, work, { pattern: 'total' });
    expect(content).toBe(
      `long:1: total${'x'.repeat(295)}…\n[not searched: 2 files with more than one name, 1 line behind the first 10000 characters]`,
    );
    const few = await call(searchFiles({ maxFileBytes: 50 }), work, { pattern: 'total', glob: 'l*' });
    expect(few.content).toBe(lines('No file was searched.', '[not searched: 2 files too large]'));
  });

  it.each([
    { input: { pattern: 'total', path: 'data.bin' }, says: '[not searched: 1 binary file]' },
    { input: { pattern: 'total', glob: '*.bin' }, says: '[not searched: 1 binary file]' },
  ])('for $input says that what is there is no text', async ({ input, says }) => {
    expect(await find(input)).toBe(lines('No file was searched.', says));
  });

  it.runIf(process.platform === 'linux')('counts a file whose name is no text as not searched', async () => {
    const work = await filled({ a: 'total' });
    await writeFile(Buffer.concat([Buffer.from(`${work}/b`), Buffer.from([0xff])]), 'total');
    expect((await call(searchFiles(), work, { pattern: 'total' })).content).toBe(
      lines('a:1: total', '[not searched: 1 file or folder that cannot be read]'),
    );
  });

  it.runIf(process.getuid?.() !== 0)('says how many files cannot be read', async () => {
    const work = await filled({ a: 'x', b: 'x' });
    await chmod(join(work, 'a'), 0);
    expect((await call(searchFiles(), work, { pattern: 'x' })).content).toMatch(
      /^b:1: x\n\[not searched: 1 file or/,
    );
  });

  it('follows no links', async () => {
    const work = await filled({ 'sub/a': 'x' });
    await symlink('sub', join(work, 'folder'));
    await symlink('sub/a', join(work, 'file'));
    await symlink('/etc/passwd', join(work, 'out'));
    expect((await call(searchFiles(), work, { pattern: 'x' })).content).toBe('sub/a:1: x');
  });

  it('does not find a secret by a part of it: it is masked before', async () => {
    const work = await filled({ a: 'key = sk-secret-123456\n' });
    const context = contextIn(work, { redact: createRedactor(['sk-secret-123456']) });
    expect(await searchFiles().run({ pattern: 'key' }, context)).not.toContain('secret');
    expect(await searchFiles().run({ pattern: 'sk-secret' }, context)).toMatch(/^No line matches/);
  });

  it('lets others have their turn, whatever the pattern, and ends when it is told to', async () => {
    const work = await filled({ a: `${'abcdefghij'.repeat(300)}a\n`.repeat(1_500) });
    let turns = 0;
    const stop = new AbortController();
    const timer = setInterval(() => {
      turns += 1;
      if (turns === 3) stop.abort(new Error('told to end'));
    }, 5);
    const searching = searchFiles().run(
      { pattern: '(.{0,60}){0,4}.*[^a].{300}$' },
      contextIn(work, { signal: stop.signal }),
    );
    await expect(searching).rejects.toThrow('told to end');
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('finds the lines that JavaScript finds', async () => {
    const text = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', 'é'), maxLength: 6 }), {
      maxLength: 8,
    });
    const pattern = fc.constantFrom(
      'a',
      'a+b',
      '^b',
      '1$',
      '[^a]',
      'a.b',
      '(ab|b1)',
      '\\d\\s',
      '\\bb',
      'é?a',
      'a{2}',
    );
    await fc.assert(
      fc.asyncProperty(text, pattern, async (all, source) => {
        const work = await filled({ a: all.join('\n') });
        const { content } = await call(searchFiles(), work, { pattern: source });
        const expected = all.flatMap((line, index) =>
          line !== '' && new RegExp(source).test(line) ? [`a:${index + 1}: ${line}`] : [],
        );
        const found = content.split('\n').filter((line) => line.startsWith('a:'));
        expect(found).toEqual(expected);
      }),
    );
  });

  it('never shows what is outside, while files and folders are swapped for links', async () => {
    for (const swap of ['a folder that is a link out', 'a link out', 'a hard link out'] as const) {
      const { work, isSwapping } = await swapped(swap, 3_000);
      let seen = '';
      do {
        for (const path of ['.', 'sub', 'sub/in.txt'])
          seen += (await call(searchFiles(), work, { pattern: '^(in|se)', path })).content;
      } while (isSwapping());
      expect(seen).not.toMatch(/: secret/);
      expect(seen).toContain('sub/in.txt:1: inside');
    }
  });
});
