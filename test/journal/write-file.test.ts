import { execFileSync } from 'node:child_process';
import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkWritable, writeWhole } from '../../src/journal/write-file.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnstile-write-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('a file that is written as a whole', () => {
  it('F13: is never a part of one, whoever writes at the same time, and leaves nothing beside it', async () => {
    const folder = await newFolder();
    const path = join(folder, 't.json');
    const texts = Array.from({ length: 50 }, (_, n) => JSON.stringify({ n, fill: 'x'.repeat(n * 100) }));
    await Promise.all(texts.map((content) => writeWhole(path, content)));
    expect(texts).toContain(await readFile(path, 'utf8'));
    expect(await readdir(folder)).toEqual(['t.json']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each([
    { what: 'a file', links: { 'l.json': 'there.json' }, target: 'there.json' },
    { what: 'a file that is not there yet', links: { 'l.json': 'new.json' }, target: 'new.json' },
    { what: 'another link', links: { 'l.json': 'm.json', 'm.json': 'new.json' }, target: 'new.json' },
  ])('is the target of a link to $what; the link stays', async ({ links, target }) => {
    const folder = await newFolder();
    await writeFile(join(folder, 'there.json'), 'old');
    for (const [from, to] of Object.entries(links)) await symlink(to, join(folder, from));
    await checkWritable(join(folder, 'l.json'));
    await writeWhole(join(folder, 'l.json'), 'new');
    expect((await lstat(join(folder, 'l.json'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, target), 'utf8')).toBe('new');
  });

  it.each([
    { what: 'a folder', make: async () => undefined, name: '.', why: 'it is a folder' },
    {
      what: 'a pipe',
      make: async (folder: string) => void execFileSync('mkfifo', [join(folder, 'p')]),
      name: 'p',
      why: 'it is no regular file',
    },
    {
      what: 'a link to a pipe',
      make: async (folder: string) => {
        execFileSync('mkfifo', [join(folder, 'p')]);
        await symlink('p', join(folder, 'l'));
      },
      name: 'l',
      why: 'it is no regular file',
    },
    { what: 'in no folder', make: async () => undefined, name: 'gone/t', why: 'its folder is not there' },
    {
      what: 'below a file',
      make: (folder: string) => writeFile(join(folder, 'f'), ''),
      name: 'f/t',
      why: 'ENOTDIR: not a directory',
    },
    {
      what: 'a link to itself',
      make: (folder: string) => symlink('l', join(folder, 'l')),
      name: 'l',
      why: 'ELOOP: too many symbolic links encountered',
    },
    {
      what: 'where no file can be made',
      make: async (folder: string) => symlink('/proc/self/none', join(folder, 'l')),
      name: 'l',
      why: 'ENOENT: no such file or directory',
    },
  ])('is refused where it is $what, and all is left as it was', async ({ make, name, why }) => {
    const folder = await newFolder();
    await make(folder);
    const before = await readdir(folder);
    // The reason is all that is said: a temporary name would tell nobody anything.
    await expect(checkWritable(join(folder, name))).rejects.toThrow(new Error(why));
    await expect(writeWhole(join(folder, name), 'x')).rejects.toThrow(new Error(why));
    expect(await readdir(folder)).toEqual(before);
  });

  it('is not made when it is only asked whether it could be', async () => {
    const folder = await newFolder();
    await checkWritable(join(folder, 't.json'));
    expect(await readdir(folder)).toEqual([]);
  });
});
