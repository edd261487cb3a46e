import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceAt } from '../../src/tools/places.ts';
import { newFolder } from './box.ts';

async function workspace() {
  const parent = await realpath(await newFolder());
  const root = join(parent, 'space');
  await mkdir(join(root, 'data'), { recursive: true });
  await writeFile(join(root, 'data', 'a.csv'), '1');
  await symlink('data/a.csv', join(root, 'link'));
  await symlink('data', join(root, 'folder'));
  await symlink(parent, join(root, 'out'));
  await symlink(root, join(parent, 'alias'));
  return { parent, root, alias: join(parent, 'alias') };
}

describe('the places of a path', () => {
  it.each([
    ['data/a.csv', ['data/a.csv'], true],
    ['./data//x/../a.csv', ['data/a.csv'], true],
    ['.', ['.'], true],
    ['', ['.'], true],
    ['new/b', ['new/b'], true],
    ['link', ['link', 'data/a.csv'], true],
    ['folder/new', ['folder/new', 'data/new'], true],
    ['folder/../link', ['link', 'data/a.csv'], true],
    ['{root}/data', ['data'], true],
    ['{alias}/data', ['data'], true],
    ['..', ['{parent}'], false],
    ['../space/data', ['data'], true],
    ['/etc/passwd', ['/etc/passwd'], false],
    ['out/x', ['out/x', '{parent}/x'], false],
    ['a\0b', ['a\0b'], true],
  ])('%j are %j, inside: %s', async (path, paths, isInside) => {
    const { root, alias, parent } = await workspace();
    const filled = (text: string): string =>
      text.replace('{root}', root).replace('{alias}', alias).replace('{parent}', parent);
    const { placesOf } = workspaceAt(path.includes('alias') ? alias : root);
    expect(placesOf(filled(path))).toEqual({ paths: paths.map(filled), isInside });
  });

  it('are found at once, however long the path is', async () => {
    const { root } = await workspace();
    expect(workspaceAt(root).placesOf('a/'.repeat(100_000)).isInside).toBe(true);
  });

  it.runIf(process.platform === 'linux')('are named in a file system that tells cases apart', async () => {
    expect(workspaceAt((await workspace()).root).isCaseBlind).toBe(false);
  });
});
