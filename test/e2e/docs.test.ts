import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { folderWith, turnstile } from './command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const COMMANDS =
  'resume approve deny runs show export replay fork rules demo chart prove verify doctor'.split(' ');
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

const SHIPPED = JSON.parse(textOf('package.json')) as { readonly files: readonly string[] };
const ALWAYS = ['README.md', 'LICENSE', 'package.json'];

const linksOf = (page: string): readonly string[] =>
  [...textOf(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));

describe('the documents', () => {
  it.each(PAGES)('%s links to what is there, in the package, too', (page) => {
    for (const link of linksOf(page)) {
      const target = relative(root, join(root, dirname(page), link));
      expect(existsSync(join(root, target)), `${link} in ${page}`).toBe(true);
      expect([...SHIPPED.files, ...ALWAYS], `${link} in ${page}`).toContain(target.split('/')[0]);
    }
  });

  it('name only options and commands that exist', async () => {
    const { stdout } = await turnstile(['--help'], { cwd: await folderWith() });
    const others = await Promise.all(
      COMMANDS.map(async (command) => turnstile([command, '--help'], { cwd: await folderWith() })),
    );
    const help = [stdout, ...others.map((ended) => ended.stdout)].join('\n');
    // The reason why this one is not in the help.
    const pages = PAGES.filter((page) => !page.endsWith('dotenv.md') && page !== 'CONTRIBUTING.md');
    const missing = pages.flatMap((page) => {
      const text = textOf(page)
        .replaceAll('`--env-file`', '')
        .replaceAll(/(npm|npx (?:oxfmt|stryker)|oxlint|vitest) .*/g, '');
      const options = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([option]) => option);
      const commands = [...text.matchAll(/`(?:npx )?turnstile ([a-z]+)/g)].map(([, word = '']) => word);
      return [
        ...options.filter((option) => !help.includes(option)),
        ...commands.filter((word) => !new RegExp(`^ +${word}( |$)`, 'm').test(help)),
      ].map((what) => `${what} in ${page}`);
    });
    expect(missing).toEqual([]);
  });
});
