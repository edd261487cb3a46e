import { PROTECTED_NAMES } from '../sandbox/index.ts';

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
