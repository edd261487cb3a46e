import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { reasonOf } from '../../src/tools/system-errors.ts';
import { openInWorkspace } from '../../src/tools/workspace-path.ts';
import { folders } from './swapper.ts';

/** What happens around the one moment that matters: when a file is opened. */
const moments = vi.hoisted(() => ({
  before: (): Promise<void> => Promise.resolve(),
  after: (): Promise<void> => Promise.resolve(),
}));
const quiet = { ...moments };
const openedFiles = vi.hoisted((): FileHandle[] => []);
afterEach(() => Object.assign(moments, quiet));

vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>();
  const open: typeof real.open = async (path, flags, mode) => {
    await moments.before();
    const file = await real.open(path, flags, mode);
    openedFiles.push(file);
    await moments.after();
    return file;
  };
  return { ...real, open };
});

/** What opening comes to. A file is read through its descriptor, and closed. */
async function opening(workdir: string, path: string, hidden: readonly string[] = []): Promise<unknown> {
  const opened = await openInWorkspace({ workdir, hidden }, path);
  if (opened.kind === 'folder') return { kind: opened.kind, names: opened.names };
  if (opened.kind !== 'file') return opened;
  const content = await opened.file.readFile('utf8');
  await opened.file.close();
  return content;
}

type Swap = (path: string, outside: string) => Promise<void>;

const toLinkOut: Swap = async (path, outside) => {
  await rm(path);
  await symlink(join(outside, 'in.txt'), path);
};
const toPipe: Swap = async (path) => {
  await rm(path);
  execFileSync('mkfifo', [path]);
};
const toFolder: Swap = async (path) => {
  await rm(path);
  await mkdir(path);
};
const folderToLinkOut: Swap = async (path, outside) => {
  const folder = join(path, '..');
  await rename(folder, `${folder}-was`);
  await symlink(outside, folder);
};

describe('a file that is swapped around its opening (D16)', () => {
  it.each([
    { when: 'before', to: 'a link out', swap: toLinkOut, gives: { kind: 'outside' } },
    { when: 'before', to: 'a pipe', swap: toPipe, gives: { kind: 'special', type: 'pipe' } },
    { when: 'before', to: 'a folder', swap: toFolder, gives: { kind: 'folder', names: [] } },
    {
      when: 'before',
      to: 'nothing',
      swap: (path: string) => rm(path),
      gives: { kind: 'missing', folder: 'sub', names: [] },
    },
    { when: 'before', to: 'a folder that is a link out', swap: folderToLinkOut, gives: { kind: 'outside' } },
    { when: 'after', to: 'a link out', swap: toLinkOut, gives: 'inside' },
    { when: 'after', to: 'a pipe', swap: toPipe, gives: 'inside' },
    { when: 'after', to: 'a folder that is a link out', swap: folderToLinkOut, gives: 'inside' },
  ] as const)('$when it, to $to, gives $gives', async ({ when, swap, gives }) => {
    const { work, outside } = await folders();
    openedFiles.length = 0;
    moments[when] = async () => {
      Object.assign(moments, quiet);
      await swap(join(work, 'sub/in.txt'), outside);
    };
    expect(await opening(work, 'sub/in.txt')).toEqual(gives);
    // A closed handle has no descriptor.
    expect(openedFiles.map((file) => file.fd)).toEqual(openedFiles.map(() => -1));
  });
});

describe('what the system says', () => {
  it.each([
    ['EACCES', 'permission was denied'],
    ['EPERM', 'permission was denied'],
    ['ELOOP', 'its links lead in a circle'],
    ['ENAMETOOLONG', 'its name is too long'],
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'the disk is full'],
    ['EROFS', 'the file system is read-only'],
    ['EIO', 'the system says EIO'],
  ])('%s: %s', async (code, reason) => {
    expect(reasonOf(code)).toBe(reason);
    const { work } = await folders();
    moments.before = () => Promise.reject(Object.assign(new Error('refused'), { code }));
    expect(await opening(work, 'sub/in.txt')).toEqual({ kind: 'unreadable', reason });
  });

  it('that a path is too long is known before the system is asked about each of its folders', async () => {
    const { work, outside } = await folders();
    await symlink(outside, join(work, 'link'));
    const path = `${'a/'.repeat(100_000)}b`;
    expect(await opening(work, path)).toEqual({ kind: 'unreadable', reason: 'its name is too long' });
    expect(await opening(work, `../${path}`)).toEqual({ kind: 'outside' });
  }, 5_000);

  it('of a file outside is not told', async () => {
    const { work, outside } = await folders();
    await symlink(outside, join(work, 'link'));
    moments.before = () => Promise.reject(Object.assign(new Error('refused'), { code: 'EACCES' }));
    expect(await opening(work, 'link/in.txt')).toEqual({ kind: 'outside' });
  });

  it('is not guessed: another error is thrown as it is', async () => {
    const { work } = await folders();
    moments.before = () => Promise.reject(new Error('a bug'));
    await expect(opening(work, 'sub/in.txt')).rejects.toThrow('a bug');
  });
});

describe('the workspace', () => {
  it('may be a link: both of its absolute spellings lead in (D16)', async () => {
    const { work } = await folders();
    await symlink(work, `${work}-link`);
    for (const spelling of [work, `${work}-link`]) {
      expect(await opening(`${work}-link`, join(spelling, 'sub/in.txt'))).toBe('inside');
      expect(await opening(`${work}-link`, join(spelling, 'sub/none.txt'))).toEqual({
        kind: 'missing',
        folder: 'sub',
        names: ['in.txt'],
      });
    }
  });

  it('may be the root of all files', async () => {
    const { work } = await folders();
    expect(await opening('/', join(work, 'sub/in.txt'))).toBe('inside');
  });

  it('is not a folder whose name only starts like it', async () => {
    const { work } = await folders();
    await mkdir(`${work}2`);
    await writeFile(join(`${work}2`, 'in.txt'), 'secret');
    expect(await opening(work, '../work2/in.txt')).toEqual({ kind: 'outside' });
    await writeFile(join(work, '..in.txt'), 'dots');
    expect(await opening(work, '..in.txt')).toBe('dots');
  });
});

describe('nothing is told of', () => {
  it.each([
    { path: 'link/none.txt', kind: 'outside' },
    { path: 'link/none/none.txt', kind: 'outside' },
    { path: 'link/in.txt/below', kind: 'outside' },
    { path: 'zero', kind: 'outside' },
    { path: 'to-none', kind: 'outside' },
    { path: 'to-none/below', kind: 'outside' },
    { path: 'sub/to-none-by-links', kind: 'outside' },
    { path: 'link/loop', kind: 'outside' },
    { path: '.turnstile', kind: 'state_folder' },
    { path: '.turnstile/none', kind: 'state_folder' },
    { path: 'sub/.turnstile/none', kind: 'state_folder' },
    { path: 'state/none', kind: 'state_folder' },
    { path: 'private/journal', kind: 'state_folder' },
    { path: 'private/none', kind: 'state_folder' },
    { path: 'way-in/journal', kind: 'state_folder' },
    { path: 'way-in/pipe', kind: 'state_folder' },
  ])('$path: it is $kind, whether it is there or not', async ({ path, kind }) => {
    const { work, outside } = await folders();
    await mkdir(join(work, '.turnstile'));
    await mkdir(join(work, 'private'));
    await writeFile(join(work, 'private/journal'), '{}');
    execFileSync('mkfifo', [join(work, 'private/pipe')]);
    await symlink(outside, join(work, 'link'));
    await symlink('/dev/zero', join(work, 'zero'));
    await symlink('../outside/none.txt', join(work, 'to-none'));
    await symlink('../to-none', join(work, 'sub/to-none-by-links'));
    await symlink('loop', join(outside, 'loop'));
    await symlink('.turnstile', join(work, 'state'));
    await symlink('private', join(work, 'way-in'));
    expect(await opening(work, path, [join(work, 'private')])).toEqual({ kind });
    expect(await opening(work, '.', [join(work, 'private')])).toEqual({
      kind: 'folder',
      names: ['link', 'state', 'sub/', 'to-none', 'way-in', 'zero'],
    });
  });
});

describe('names in another Unicode form (D26)', () => {
  const composed = 'B\u00fccher/Absch\u00e4tzung.txt';

  it.each([
    { on: 'both', made: composed.normalize('NFD') },
    { on: 'the folder', made: 'Bu\u0308cher/Absch\u00e4tzung.txt' },
    { on: 'the file', made: 'B\u00fccher/Abscha\u0308tzung.txt' },
  ])('are found when $on has it', async ({ made }) => {
    const { work } = await folders();
    await mkdir(join(work, made, '..'));
    await writeFile(join(work, made), 'found');
    expect(await opening(work, composed)).toBe('found');
  });

  it('are not guessed when two names fit: both are listed', async () => {
    const { work } = await folders();
    const names = ['e\u0323\u0302', '\u1eb9\u0302'];
    for (const name of names) await writeFile(join(work, 'sub', name), name);
    expect(await opening(work, 'sub/\u1ec7')).toEqual({
      kind: 'missing',
      folder: 'sub',
      names: [...names, 'in.txt'].toSorted(),
    });
  });

  it.each([
    { target: 'nowhere', gives: { kind: 'missing', folder: '', names: ['a\u0308', 'sub/'] } },
    { target: 'a\u0308', gives: { kind: 'unreadable', reason: 'its links lead in a circle' } },
    { target: '../outside/in.txt', gives: { kind: 'outside' } },
    { target: 'sub/in.txt', gives: 'inside' },
  ])('of a link to $target come to what the link comes to', async ({ target, gives }) => {
    const { work } = await folders();
    await symlink(target, join(work, 'a\u0308'));
    expect(await opening(work, '\u00e4')).toEqual(gives);
  });
});
