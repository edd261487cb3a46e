import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says } from '../../src/testing/index.ts';
import { folderWith, keyed, serverOf, turnstile } from './command.ts';

/** Folders in a temporary one; `link` is a symbolic link to `home`. */
const ROWS = [
  ['the home folder', 'home', [], true],
  ['a link to the home folder', 'link', [], true],
  ['a folder that holds the home folder', '.', [], true],
  ['the home folder, and is quiet about it', 'home', ['--quiet'], true],
  ['a folder in the home folder', 'home/work', [], false],
  ['a folder beside the home folder', 'other', [], false],
] as const;

describe('a run says that all of the home folder can be read', () => {
  it.concurrent.each(ROWS)('where its workspace is %s: %s %j: %s', async (_, workdir, flags, isWarned) => {
    const folder = await folderWith();
    for (const name of ['home/work', 'other']) await mkdir(join(folder, name), { recursive: true });
    await symlink(join(folder, 'home'), join(folder, 'link'));
    const server = await serverOf([says('Done.')]);
    const ended = await turnstile(
      ['do it', '--workdir', join(folder, workdir), '--tools', 'read_file', ...flags],
      {
        cwd: join(folder, 'other'),
        env: { ...keyed(server), HOME: join(folder, 'home') },
      },
    );
    expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(ended.stderr.includes('the workspace holds your whole home folder')).toBe(isWarned);
  });
});

it('a run that goes on says it as well', async () => {
  const folder = await folderWith();
  for (const name of ['home', 'other']) await mkdir(join(folder, name), { recursive: true });
  const server = await serverOf([says('Done.'), says('Again.')]);
  const at = { cwd: join(folder, 'other'), env: { ...keyed(server), HOME: join(folder, 'home') } };
  const tools = ['--tools', 'read_file'];
  expect((await turnstile(['do it', ...tools], at)).stderr).not.toContain('home folder');
  const ended = await turnstile(['resume', 'last', 'And now?', '--workdir', join(folder, 'home')], at);
  expect(ended).toMatchObject({ code: 0, stdout: 'Again.\n' });
  expect(ended.stderr).toContain('the workspace holds your whole home folder');
});

it('a run without a home folder has none in its workspace', async () => {
  const server = await serverOf([says('Done.')]);
  const ended = await turnstile(['do it', '--tools', 'read_file'], {
    cwd: await folderWith(),
    env: { ...keyed(server), HOME: '' },
  });
  expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(ended.stderr).not.toContain('home folder');
});
