import { execFileSync } from 'node:child_process';
import { link, mkdir, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { entriesOf, openPinned, pin } from '../../src/tools/pin.ts';
import { openInWorkspace } from '../../src/tools/workspace-path.ts';
import { newFolder, read } from './box.ts';

const moments = vi.hoisted(() => ({ afterOpen: (): Promise<void> => Promise.resolve() }));
const quiet = { ...moments };
afterEach(() => {
  Object.assign(moments, quiet);
  vi.restoreAllMocks();
});

vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>();
  const open: typeof real.open = async (path, flags, mode) => {
    const file = await real.open(path, flags, mode);
    await moments.afterOpen();
    return file;
  };
  return { ...real, open };
});

async function workspace(): Promise<string> {
  const folder = await newFolder();
  const work = join(folder, 'work');
  await mkdir(join(work, 'sub'), { recursive: true });
  await mkdir(join(folder, 'outside'));
  await writeFile(join(work, 'sub/in.txt'), 'inside');
  await writeFile(join(work, 'old (deleted)'), 'a name');
  await writeFile(join(folder, 'outside/in.txt'), 'secret');
  await symlink('sub/in.txt', join(work, 'link'));
  await symlink('../outside/in.txt', join(work, 'out'));
  await symlink('../outside', join(work, 'folder-out'));
  await link(join(folder, 'outside/in.txt'), join(work, 'hard'));
  execFileSync('mkfifo', [join(work, 'pipe')]);
  return work;
}

describe.each(['linux', 'darwin'] as const)('on %s', (platform) => {
  beforeEach(() => {
    vi.spyOn(process, 'platform', 'get').mockReturnValue(platform);
  });

  it.each([
    { path: 'sub/in.txt', says: /^inside$/ },
    { path: 'link', says: /^inside$/ },
    { path: 'out', says: /is outside the workspace/ },
    { path: 'folder-out/in.txt', says: /is outside the workspace/ },
    { path: 'hard', says: /"hard" has more than one name \(it is a hard link\)/ },
    { path: 'pipe', says: /is a pipe, not a file/ },
    { path: 'sub', says: /is a folder. It holds: in\.txt/ },
    { path: 'none', says: /no file "none".*sub\// },
  ])('$path is what it is', async ({ path, says }) => {
    expect((await read(await workspace(), { path })).content).toMatch(says);
  });

  it('a link that is not followed is pinned itself', async () => {
    const work = await workspace();
    const pinned = await pin(join(work, 'link'), { follows: false });
    expect(pinned.stats.isSymbolicLink()).toBe(true);
    await pinned.close();
  });

  it('a folder is read as it is', async () => {
    const work = await workspace();
    const pinned = await pin(join(work, 'sub'), { follows: false });
    expect((await entriesOf(pinned))?.map(({ name }) => name)).toEqual(['in.txt']);
    await pinned.close();
  });
});

describe('on a system whose descriptors have no path', () => {
  beforeEach(() => {
    vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  });

  const swapFolder = async (work: string): Promise<void> => {
    Object.assign(moments, quiet);
    await rename(join(work, 'sub'), join(work, 'was'));
    await symlink('../outside', join(work, 'sub'));
  };

  it('a folder that is swapped while a file in it is opened gives nothing', async () => {
    const work = await workspace();
    moments.afterOpen = () => swapFolder(work);
    expect(await openInWorkspace({ workdir: work, hidden: [] }, 'sub/in.txt')).toEqual({ kind: 'outside' });
  });

  it('what was swapped behind a pin is not taken for what was pinned', async () => {
    const work = await workspace();
    const file = await pin(join(work, 'sub/in.txt'), { follows: true });
    const folder = await pin(join(work, 'sub'), { follows: true });
    await swapFolder(work);
    expect(await openPinned(file)).toBeNull();
    expect(await entriesOf(folder)).toBeNull();
    await Promise.all([file.close(), folder.close()]);
  });
});

describe('a file whose name goes away while it is looked at', () => {
  it('is read where it has no other name', async () => {
    const work = await workspace();
    moments.afterOpen = async () => {
      Object.assign(moments, quiet);
      await unlink(join(work, 'sub/in.txt'));
    };
    expect((await read(work, { path: 'sub/in.txt' })).content).toBe('inside');
  });

  it('is refused where it has: that one may be outside', async () => {
    const work = await workspace();
    moments.afterOpen = async () => {
      Object.assign(moments, quiet);
      await unlink(join(work, 'hard'));
    };
    expect((await read(work, { path: 'hard' })).content).toMatch(/more than one name/);
  });

  it('looks like one that is called so, which is refused as well', async () => {
    expect((await read(await workspace(), { path: 'old (deleted)' })).content).toMatch(/more than one name/);
  });
});
