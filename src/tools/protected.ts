/** Names that are not written to: what has them runs, or decides what runs, when a person works in the folder. */

/** Folders and files; also what is in the folders. Compared without regard to case. */
export const PROTECTED_NAMES: readonly string[] = [
  '.git',
  '.gitconfig',
  '.gitmodules',
  '.turnstile',
  'node_modules',
  '.vscode',
  '.idea',
  '.envrc',
  '.mcp.json',
  '.profile',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.logout',
  '.inputrc',
];

/** The first name of a path (with `/`) that is protected, or null. */
export const protectedIn = (way: string): string | null =>
  way.split('/').find((name) => PROTECTED_NAMES.includes(plain(name))) ?? null;

/** As file systems that are less strict would read it: `.GIT`, `.git.`, `.g\u200Cit`. */
const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
