import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile as write,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROTECTED_NAMES } from '../../src/sandbox/index.ts';
import { createRedactor } from '../../src/text/redact.ts';
import { protectedIn } from '../../src/tools/protected.ts';
import { writeFile } from '../../src/tools/write-file.ts';
import { call, contextIn, newFolder } from './box.ts';
import { swapped } from './swapper.ts';

async function workspace(): Promise<string> {
  const folder = await newFolder();
  const work = join(folder, 'work');
  await mkdir(join(work, 'sub'), { recursive: true });
  await mkdir(join(work, '.git'));
  await mkdir(join(folder, 'outside'));
  await write(join(folder, 'outside/a.txt'), 'outside');
  await write(join(work, 'a.txt'), 'one\ntwo\n');
  await write(join(work, 'a.png'), Buffer.from([0x89, 0x50]));
  await write(join(work, 'hard'), 'hard');
  await link(join(work, 'hard'), join(folder, 'outside/hard'));
  for (const [name, target] of Object.entries({
    link: 'a.txt',
    out: '../outside/a.txt',
    'folder-out': '../outside',
    none: 'nowhere',
    'none-out': '../outside/new',
    git: '.git',
    subs: 'sub',
  }))
    await symlink(target, join(work, name));
  execFileSync('mkfifo', [join(work, 'pipe')]);
  return work;
}

const OLD = { overwrite: true };

describe('write_file', () => {
  it.each([
    { path: 'new.txt', says: 'Wrote "new.txt", a new file of 2 lines.' },
    {
      path: './sub/deep/er/new.txt',
      says: 'Wrote "./sub/deep/er/new.txt", a new file of 2 lines.',
      at: 'sub/deep/er/new.txt',
    },
    { path: 'subs/new.txt', says: 'Wrote "subs/new.txt", a new file of 2 lines.', at: 'sub/new.txt' },
    { path: 'a.txt', more: OLD, says: 'Replaced "a.txt": 1 line added, 1 removed.' },
    { path: 'link', more: OLD, says: 'Replaced "link": 1 line added, 1 removed.', at: 'a.txt' },
    { path: 'a.png', more: OLD, says: 'Replaced "a.png", which was no text, or too large to be compared.' },
  ])('to $path $more says "$says"', async ({ path, more = {}, says, at = path }) => {
    const work = await workspace();
    const outcome = await call(writeFile(), work, { path, content: 'one\nTWO\n', ...more });
    expect(outcome).toEqual({ kind: 'succeeded', content: says });
    expect(await readFile(join(work, at), 'utf8')).toBe('one\nTWO\n');
    expect(await readlink(join(work, 'link'))).toBe('a.txt');
    const names = await readdir(work, { recursive: true });
    expect(names.filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  it.each([
    {
      path: 'a.txt',
      says: /^"a\.txt" exists already and has 2 lines\. Nothing was written\. .*overwrite: true/,
    },
    { path: 'a.png', says: /^"a\.png" exists already\. Nothing/ },
    { path: 'out', says: /is outside the workspace/ },
    { path: 'folder-out/a.txt', says: /is outside the workspace/ },
    { path: 'folder-out/new/b.txt', says: /is outside the workspace/ },
    { path: 'none-out', says: /is outside the workspace/ },
    { path: '../outside/b.txt', says: /is outside the workspace/ },
    { path: '/tmp/b.txt', says: /is outside the workspace/ },
    { path: 'none', says: /is a link that leads to nothing/ },
    { path: 'none/below', says: /is a link that leads to nothing/ },
    { path: 'hard', says: /more than one name/ },
    { path: 'pipe', says: /is a pipe, not a file/ },
    { path: 'sub', says: /is a folder/ },
    { path: '.', says: /is a folder/ },
    { path: 'a.txt/b', says: /A folder of "a\.txt\/b" is a file/ },
    { path: 'a.txt/b/c', says: /A folder of "a\.txt\/b\/c" is a file/ },
    { path: '', says: /path is blank/ },
    { path: 'a\0', says: /NUL/ },
    { path: 'x'.repeat(300), says: /name is too long/ },
    { path: '.turnstile/a', says: /belongs to the program/ },
    { path: '.git/config', says: /is protected: "\.git" is not written to/ },
    { path: 'git/hooks/pre-commit', says: /is protected: "\.git"/ },
    { path: 'sub/.GIT/x', says: /is protected: "\.GIT"/ },
    { path: 'sub/node_modules/a/index.js', says: /is protected: "node_modules"/ },
  ])('to $path is refused: $says', async ({ path, says }) => {
    const work = await workspace();
    const outcome = await call(writeFile(), work, { path, content: 'x' });
    expect(outcome.kind).toBe('failed');
    expect(outcome.content).toMatch(says);
    expect(await readdir(join(work, '../outside'))).toEqual(['a.txt', 'hard']);
    expect(await readFile(join(work, '../outside/a.txt'), 'utf8')).toBe('outside');
  });

  it('of what is there already writes nothing', async () => {
    const work = await workspace();
    const before = await stat(join(work, 'a.txt'));
    const { content } = await call(writeFile(), work, { path: 'a.txt', content: 'one\ntwo\n', ...OLD });
    expect(content).toBe('"a.txt" holds exactly this already; nothing was written.');
    expect((await stat(join(work, 'a.txt'))).ino).toBe(before.ino);
  });

  it.each([0o755, 0o600, 0o664])('keeps the mode %o', async (mode) => {
    const work = await workspace();
    await chmod(join(work, 'a.txt'), mode);
    await call(writeFile(), work, { path: 'a.txt', content: 'x', ...OLD });
    expect((await stat(join(work, 'a.txt'))).mode & 0o777).toBe(mode);
  });

  it('does not put the mask in the place of a secret that it has masked itself', async () => {
    const work = await workspace();
    const context = contextIn(work, { redact: createRedactor(['sk-secret-123456']) });
    const rewrite = (content: string): Promise<string> =>
      writeFile().run({ path: 'env', content, ...OLD }, context);
    await rewrite('KEY=sk-secret-123456\nA=1\n');
    await expect(rewrite('KEY=[redacted]\nA=2\n')).rejects.toThrow(
      /"env" holds secrets that are masked for you/,
    );
    expect(await rewrite('KEY=sk-secret-123456\nA=2\n')).toBe('Replaced "env": 1 line added, 1 removed.');
  });

  it('shows a diff of what would change, and changes nothing', async () => {
    const work = await workspace();
    const preview = (input: unknown): Promise<string> | undefined =>
      writeFile().preview?.(input, contextIn(work));
    expect(await preview({ path: 'link', content: 'one\nTWO', ...OLD })).toBe(
      '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n\\ No newline at end of file\n',
    );
    expect(await preview({ path: 'deep/new.txt', content: 'x\n' })).toBe(
      '--- /dev/null\n+++ deep/new.txt\n@@ -0,0 +1,1 @@\n+x\n',
    );
    expect(await preview({ path: '成绩 é.csv', content: 'x\n' })).toContain('\n+++ 成绩 é.csv\n');
    await expect(preview({ path: 'a.txt', content: '' })).rejects.toThrow(/exists already/);
    expect(await readdir(work)).not.toContain('deep');
  });

  it('never writes outside, while a folder on the way is swapped for a link', async () => {
    const { work, outside, isSwapping } = await swapped('a folder that is a link out', 5_000);
    const seen = new Set<string>();
    for (let count = 0; isSwapping(); count += 1) {
      seen.add((await call(writeFile(), work, { path: `sub/new${count}`, content: 'x' })).kind);
      await call(writeFile(), work, { path: 'sub/in.txt', content: `inside ${count}`, ...OLD });
    }
    expect(await readdir(outside)).toEqual(['in.txt']);
    expect(await readFile(join(outside, 'in.txt'), 'utf8')).toBe('secret');
    expect([...seen].toSorted()).toContain('succeeded');
  });
});

describe('protected names', () => {
  it.each(PROTECTED_NAMES)('%s is one, wherever it is and however it is written', (name) => {
    for (const way of [
      name,
      `a/${name}`,
      `${name}/a`,
      name.toUpperCase(),
      `${name}.`,
      `${name} /x`,
      `${name.slice(0, 2)}\u200C${name.slice(2)}`,
    ])
      expect(protectedIn(way)).not.toBeNull();
  });

  it.each(['a', '.gitignore', 'git', '.github/workflows/ci.yml', 'node_modules.txt', 'my.envrc', '...'])(
    '%s is none',
    (way) => {
      expect(protectedIn(way)).toBeNull();
    },
  );
});
