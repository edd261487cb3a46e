/** Names that are not written to: what has them runs, or decides what runs, when a person works in the folder. */

/** Folders and files; also what is in the folders. */
export const PROTECTED_NAMES: readonly string[] = [
  '.git',
  '.gitconfig',
  '.gitmodules',
  '.turnstile',
  'node_modules',
  '.vscode',
  '.idea',
  '.husky',
  '.env',
  '.envrc',
  '.npmrc',
  '.ssh',
  'turnstile.json',
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

/** The protected name that a file system would take a name for, or null: some are less strict, and read `.GIT`, `.git.`, `.g\u200Cit`. */
export function protectedName(name: string): string | null {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
  return PROTECTED_NAMES.includes(plain) ? plain : null;
}
