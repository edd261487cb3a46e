import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listFiles } from '../../src/tools/list-files.ts';
import { call, filled, newFolder } from './box.ts';
import { swapped } from './swapper.ts';

const FILES = {
  'b.txt': '',
  'a.csv': '',
  '.env.example': '',
  'notes/a.md': '',
  'notes/deep/b.csv': '',
  'notes/deep/c.log': '',
  'build/out.js': '',
  'keep.log': '',
  'x.log': '',
  '.gitignore': '*.log\n/build/\n!keep.log\n',
  'notes/deep/.gitignore': '!c.log\n',
  '.git/config': '',
  'notes/.git': 'gitdir: elsewhere',
  '.turnstile/runs/a.jsonl': '',
  'state/journal': '',
};

const list = async (input: unknown, files: Readonly<Record<string, string>> = FILES): Promise<string> => {
  const work = await filled(files);
  const { content } = await call(listFiles(), work, input, [join(work, 'state')]);
  return content;
};

const lines = (...all: readonly string[]): string => all.join('\n');

describe('list_files', () => {
  it.each([
    {
      input: {},
      says: lines(
        '.env.example',
        '.gitignore',
        'a.csv',
        'b.txt',
        'keep.log',
        'notes/',
        /.*ignore.* 2 /.source,
      ),
    },
  ])(
    'of nothing in particular lists what is in the workspace, and nothing below',
    async ({ input, says }) => {
      expect(await list(input)).toMatch(new RegExp(`^${says}`));
    },
  );

  it.each([
    { input: { path: 'notes' }, says: lines('notes/a.md', 'notes/deep/') },
    { input: { path: './notes/' }, says: lines('notes/a.md', 'notes/deep/') },
    { input: { path: 'notes', pattern: 'deep/*.csv' }, says: 'notes/deep/b.csv' },
    {
      input: { path: 'notes', pattern: '**' },
      says: lines(
        'notes/a.md',
        'notes/deep/',
        'notes/deep/.gitignore',
        'notes/deep/b.csv',
        'notes/deep/c.log',
      ),
    },
    { input: { path: 'build' }, says: 'build/out.js' },
    { input: { pattern: '*.log', include_ignored: true }, says: lines('keep.log', 'x.log') },
    { input: { pattern: 'build/*', include_ignored: true }, says: 'build/out.js' },
    {
      input: { pattern: '**/deep' },
      says: /^notes\/deep\/\n\[\.gitignore leaves out 2 entries; include_ignored/,
    },
    {
      input: { path: 'notes', pattern: '*.js' },
      says: /^Nothing in "notes" matches "\*\.js"\. .*\*\*\/\*\.csv/,
    },
    { input: { pattern: '[z-a]' }, says: /is no glob: .*range.*\{a,b\}/ },
    { input: { path: 'b.txt' }, says: '"b.txt" is a file, not a folder. Give the path of a folder.' },
    { input: { path: 'none' }, says: /^There is no folder "none".*In the workspace there are: .*notes\// },
    { input: { path: '..' }, says: /is outside the workspace/ },
    { input: { path: '/etc' }, says: /is outside the workspace/ },
    { input: { path: '.turnstile' }, says: /belongs to the program/ },
    { input: { path: 'state' }, says: /belongs to the program/ },
    { input: { path: '' }, says: /path is blank/ },
  ])('$input gives $says', async ({ input, says }) => {
    if (typeof says === 'string') expect(await list(input)).toBe(says);
    else expect(await list(input)).toMatch(says);
  });

  it.runIf(process.platform === 'linux')('says of a name that is no text that it opens nothing', async () => {
    const work = await filled({ 'real\uFFFD': '' });
    await writeFile(Buffer.concat([Buffer.from(`${work}/bad`), Buffer.from([0xff])]), '');
    expect((await call(listFiles(), work, {})).content).toBe(
      lines('bad\uFFFD (its name is not UTF-8, so no tool can open it)', 'real\uFFFD'),
    );
  });

  it('tells where links lead, follows none, and tells nothing of what is outside', async () => {
    const work = await filled({ 'sub/a.txt': '', '.turnstile/a': '' });
    for (const [name, target] of Object.entries({
      file: 'sub/a.txt',
      folder: 'sub',
      'sub/up': '..',
      out: '/etc',
      'out-file': '/etc/passwd',
      'out-none': '/etc/none-at-all',
      none: 'nowhere',
      loop: 'loop',
      state: '.turnstile',
    }))
      await symlink(target, join(work, name));
    expect((await call(listFiles(), work, { pattern: '**' })).content).toBe(
      lines(
        'file -> sub/a.txt',
        'folder -> sub/',
        'loop (a link that leads nowhere)',
        'none (a link that leads nowhere)',
        'out (a link that leads out of the workspace)',
        'out-file (a link that leads out of the workspace)',
        'out-none (a link that leads out of the workspace)',
        'sub/',
        'sub/a.txt',
        'sub/up -> /',
      ),
    );
  });

  it('a name with a line break is one line, quoted', async () => {
    expect(await list({}, { 'a\nb': '', 'c"d': '', 'é ü': '' })).toBe(lines('"a\\nb"', '"c\\"d"', 'é ü'));
  });

  it('stops at its cap, says so, and says how to see others', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `f${100 + index}`);
    const work = await filled(Object.fromEntries(names.map((name) => [name, ''])));
    const { content } = await call(listFiles({ maxEntries: 10 }), work, {});
    expect(content.split('\n').slice(0, 10)).toEqual(names.slice(0, 10));
    expect(content).toMatch(/\n\[these are the first 10; there are more\. To see others, give the path/);
    const whole = await call(listFiles({ maxEntries: 12 }), work, {});
    expect(whole.content).toBe(names.join('\n'));
  });

  it('of an empty folder says that it is empty', async () => {
    expect((await call(listFiles(), await newFolder(), {})).content).toBe('The folder "." is empty.');
  });

  it.runIf(process.getuid?.() !== 0)('says how many folders cannot be read', async () => {
    const work = await filled({ 'a/b': '' });
    await chmod(join(work, 'a'), 0);
    expect((await call(listFiles(), work, { pattern: '**' })).content).toBe('a/\n[1 folder cannot be read]');
  });

  it('never shows what is outside, while folders are swapped for links', async () => {
    const { work, outside, isSwapping } = await swapped('a folder that is a link out', 3_000);
    await writeFile(join(outside, 'secret.txt'), '');
    let seen = '';
    do {
      for (const input of [{ pattern: '**' }, { path: 'sub' }])
        seen += (await call(listFiles(), work, input)).content;
    } while (isSwapping());
    expect(seen).not.toContain('secret');
    expect(seen).toContain('sub/in.txt');
  });

  it('leaves out what git leaves out', async () => {
    const line = fc.constantFrom(
      'a',
      '/a',
      'a/',
      'b*',
      '*.c',
      '!a',
      '!b.c',
      '**/c',
      'a/**',
      'a/b',
      '\\!x',
      '#a',
      'b.c ',
      '?',
    );
    const file = fc.array(line, { maxLength: 4 }).map((all) => all.join('\n'));
    const ways = [
      'a',
      'b.c',
      'c',
      'd/a',
      'd/b.c',
      'd/c',
      'd/e/a',
      'd/e/b',
      'd/a.d/b.c',
      '!x',
      'f/b',
      'f/c.c',
    ];
    await fc.assert(
      fc.asyncProperty(file, file, async (above, below) => {
        const work = await filled({
          ...Object.fromEntries(ways.map((way) => [way, ''])),
          '.gitignore': above,
          'd/.gitignore': below,
        });
        await mkdir(join(work, '.git'), { recursive: true });
        execFileSync('git', ['init', '-q', work]);
        const told = execFileSync(
          'git',
          ['-C', work, '-c', 'core.excludesFile=', 'ls-files', '-oz', '--exclude-per-directory=.gitignore'],
          { encoding: 'utf8' },
        );
        const { content } = await call(listFiles(), work, { pattern: '**' });
        const files = content.split('\n').filter((entry) => !/\/$|^\[/.test(entry));
        expect(files.toSorted()).toEqual(told.split('\0').filter(Boolean).toSorted());
      }),
      { numRuns: 60 },
    );
  });
});
