import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { editFile } from '../../src/tools/edit-file.ts';
import { replaceFile } from '../../src/tools/replace-file.ts';
import { targetOf } from '../../src/tools/target.ts';
import { call, contextIn, filled } from './box.ts';

vi.setConfig({ testTimeout: 60_000 });

const edit = async (text: string | Buffer, input: Readonly<Record<string, unknown>>) => {
  const work = await filled({ other: '' });
  await writeFile(join(work, 'f'), text);
  const outcome = await call(editFile(), work, { path: 'f', ...input });
  return { ...outcome, after: await readFile(join(work, 'f'), 'utf8') };
};

describe('edit_file', () => {
  it.each([
    {
      text: 'a\nb\nc\n',
      old: 'b',
      to: 'B\nBB',
      after: 'a\nB\nBB\nc\n',
      says: 'Changed "f": 2 lines added, 1 removed.',
    },
    { text: 'a\nb', old: 'b', to: 'c', after: 'a\nc', says: 'Changed "f": 1 line added, 1 removed.' },
    { text: 'a\nb\n', old: 'b\n', to: '', after: 'a\n', says: 'Changed "f": 0 lines added, 1 removed.' },
    {
      text: 'a\r\nb\r\nc',
      old: 'a\nb',
      to: 'x\ny\nz',
      after: 'x\r\ny\r\nz\r\nc',
      says: 'Changed "f": 3 lines added, 2 removed.',
    },
    {
      text: 'a\r\nb\r\n',
      old: 'a\r\nb',
      to: 'c',
      after: 'c\r\n',
      says: 'Changed "f": 1 line added, 2 removed.',
    },
    {
      text: 'a\r\nb\nc',
      old: 'b\nc',
      to: 'd\ne',
      after: 'a\r\nd\ne',
      says: 'Changed "f": 2 lines added, 2 removed.',
    },
    { text: '\uFEFFa', old: 'a', to: 'b', after: '\uFEFFb', says: 'Changed "f": 1 line added, 1 removed.' },
    { text: 'a', old: 'a', to: '$& $1 $$', after: '$& $1 $$', says: 'Changed "f": 1 line added, 1 removed.' },
    {
      text: 'a\na\n',
      old: 'a',
      to: 'b',
      all: true,
      after: 'b\nb\n',
      says: 'Changed "f" at 2 places: 2 lines added, 2 removed.',
    },
  ])('of $text, $old to $to, gives $after', async ({ text, old, to, all, after, says }) => {
    const input = { old_text: old, new_text: to, ...(all && { replace_all: all }) };
    expect(await edit(text, input)).toEqual({ kind: 'succeeded', content: says, after });
  });

  it.each([
    {
      text: 'a',
      old: 'b',
      to: 'c',
      says: /^old_text is not in "f"\. Nothing was changed\. .*letter by letter/,
    },
    {
      text: 'a\nb\na a',
      old: 'a',
      to: 'c',
      says: /^old_text is 3 times in "f", at the lines 1, 3, 3\. .*replace_all: true/,
    },
    { text: 'a', old: '', to: 'c', says: /^old_text is empty/ },
    { text: 'a', old: 'a', to: 'a', says: /are the same/ },
    { text: 'a\r\nb\r\n', old: 'a\nb', to: 'a\r\nb', says: /are the same/ },
  ])('of $text, $old to $to, is refused: $says', async ({ text, old, to, says }) => {
    const { kind, content, after } = await edit(text, { old_text: old, new_text: to });
    expect({ kind, after }).toEqual({ kind: 'failed', after: text });
    expect(content).toMatch(says);
  });

  it.each([
    { path: 'none', says: /^There is no file "none"/ },
    { path: 'new/none', says: /^There is no file "new\/none"/ },
    { path: '.git/config', says: /is protected/ },
    { path: '../f', says: /is outside the workspace/ },
  ])('of $path is refused: $says', async ({ path, says }) => {
    expect((await edit('a', { path, old_text: 'a', new_text: 'b' })).content).toMatch(says);
  });

  it('of what is no text is refused', async () => {
    const { content } = await edit(Buffer.from([0x61, 0x80]), { old_text: 'a', new_text: 'b' });
    expect(content).toMatch(/is not UTF-8 text, or has more than 5000000 bytes/);
  });

  it('shows a diff of what would change', async () => {
    const work = await filled({ f: 'a\nb\n' });
    const preview = editFile().preview?.({ path: 'f', old_text: 'b', new_text: 'c' }, contextIn(work));
    expect(await preview).toBe('--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n');
    expect(await readFile(join(work, 'f'), 'utf8')).toBe('a\nb\n');
  });

  it('changes that piece and nothing else', async () => {
    const part = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', ' ', 'é', '$'), maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(part, part, part, async (start, end, to) => {
        const [before, after] = [`${start}<old>${end}`, `${start}${to}${end}`];
        const isCrlf = before.includes('\r\n') && !/(?<!\r)\n/.test(before);
        const got = await edit(before, { old_text: '<old>', new_text: to });
        expect(got.after).toBe(isCrlf ? `${start}${to.replaceAll(/\r?\n/g, '\r\n')}${end}` : after);
      }),
    );
  });
});

describe('a file that was changed since it was looked at', () => {
  it.each([
    { how: 'its content', change: (work: string) => writeFile(join(work, 'sub/f'), 'other text') },
    {
      how: 'its folder',
      change: async (work: string) => {
        await rename(join(work, 'sub'), join(work, 'was'));
        await writeFile(join(work, 'sub'), '');
      },
    },
    {
      how: 'all of it',
      change: async (work: string) => {
        await rename(join(work, 'sub'), join(work, 'was'));
        await mkdir(join(work, 'sub'));
      },
    },
  ])('($how) is not written', async ({ change }) => {
    const work = await filled({ 'sub/f': 'text' });
    const target = await targetOf({ workdir: work, hidden: [] }, 'sub/f', 1_000);
    if (target.kind !== 'target') throw new Error(target.kind);
    await change(work);
    await expect(replaceFile(target, 'new')).rejects.toThrow(/was (changed|swapped)/);
  });
});
