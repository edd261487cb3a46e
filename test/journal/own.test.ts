import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isOwn, keyFolder, markOwn } from '../../src/journal/own.ts';

interface Account {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

async function account(): Promise<Account> {
  const folder = await mkdtemp(join(tmpdir(), 'turnstile-own-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, env: { XDG_STATE_HOME: join(folder, 'home') } };
}

/** A journal that was begun on the account. */
async function begun({ folder, env }: Account, name = 'a.jsonl'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, '{}\n');
  await markOwn(path, env);
  return path;
}

const markOf = (path: string): string => path.replace('.jsonl', '.mark');

interface Case {
  readonly what: string;
  readonly own: boolean;
  /** @returns the journal that is asked about */
  readonly change: (path: string, account: Account) => Promise<string>;
}

const cases: readonly Case[] = [
  { what: 'as it was', own: true, change: async (path) => path },
  {
    what: 'that has grown',
    own: true,
    change: async (path) => {
      await appendFile(path, '{}\n');
      return path;
    },
  },
  {
    what: 'in a folder that was moved',
    own: true,
    change: async (path, { folder }) => {
      await mkdir(join(folder, 'moved'));
      for (const file of [path, markOf(path)])
        await rename(file, file.replace(folder, join(folder, 'moved')));
      return join(folder, 'moved', 'a.jsonl');
    },
  },
  {
    what: 'without a mark',
    own: false,
    change: async (path) => {
      await rm(markOf(path));
      return path;
    },
  },
  {
    what: 'whose file was put in place of the one that was marked',
    own: false,
    change: async (path) => {
      await writeFile(`${path}.new`, '{}\n');
      await rename(`${path}.new`, path);
      return path;
    },
  },
  {
    what: 'that was copied with its mark',
    own: false,
    change: async (path, { folder }) => {
      await mkdir(join(folder, 'copy'));
      for (const file of [path, markOf(path)])
        await copyFile(file, file.replace(folder, join(folder, 'copy')));
      return join(folder, 'copy', 'a.jsonl');
    },
  },
  {
    what: 'with the mark of another one',
    own: false,
    change: async (path, owner) => {
      await copyFile(markOf(await begun(owner, 'b.jsonl')), markOf(path));
      return path;
    },
  },
  {
    what: 'whose mark is cut short',
    own: false,
    change: async (path) => {
      await writeFile(markOf(path), (await readFile(markOf(path), 'utf8')).slice(0, 10));
      return path;
    },
  },
  {
    what: 'of an account whose key is another one by now',
    own: false,
    change: async (path, { env }) => {
      await writeFile(join(keyFolder(env), 'key'), Buffer.alloc(32));
      return path;
    },
  },
  {
    what: 'of an account whose key is gone',
    own: false,
    change: async (path, { env }) => {
      await rm(keyFolder(env), { recursive: true });
      return path;
    },
  },
];

describe('a journal that was begun on this account', () => {
  it.each(cases)('$what: is its own: $own', async ({ change, own }) => {
    const owner = await account();
    expect(await isOwn(await change(await begun(owner), owner), owner.env)).toBe(own);
  });

  it('is not the own of another account', async () => {
    const [here, there] = [await account(), await account()];
    await begun(there);
    expect(await isOwn(await begun(here), there.env)).toBe(false);
  });

  it('has one key with all others, however many begin at once, which nobody else may read', async () => {
    const owner = await account();
    const names = Array.from({ length: 20 }, (_, index) => `${index}.jsonl`);
    const paths = await Promise.all(names.map((name) => begun(owner, name)));
    for (const path of paths) expect(await isOwn(path, owner.env)).toBe(true);
    const folder = keyFolder(owner.env);
    expect(await readdir(folder)).toEqual(['key']);
    expect((await stat(join(folder, 'key'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('has no mark, and nothing else happens, where the key cannot be kept', async () => {
    const { folder } = await account();
    await writeFile(join(folder, 'file'), '');
    const env = { XDG_STATE_HOME: join(folder, 'file') };
    const path = await begun({ folder, env });
    expect(await isOwn(path, env)).toBe(false);
    expect(await readdir(folder)).toEqual(['a.jsonl', 'file']);
  });

  it.each([
    { base: '/var/state', folder: /^\/var\/state\/turnstile$/ },
    { base: 'relative', folder: /\.local\/state\/turnstile$/ },
    { base: '', folder: /\.local\/state\/turnstile$/ },
  ])('has its key outside of the workspace, with XDG_STATE_HOME=$base', ({ base, folder }) => {
    expect(keyFolder({ XDG_STATE_HOME: base })).toMatch(folder);
  });
});
