import { protectedName } from '../sandbox/index.ts';

/** The first name of a path (with `/`) that is protected, or null. */
export const protectedIn = (way: string): string | null =>
  way.split('/').find((name) => protectedName(name) !== null) ?? null;
