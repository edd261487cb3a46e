/** A file system in the head: no links, and case counts. */
import { posix } from 'node:path';
import type { Workspace } from '../../src/rules/match.ts';

export const plainWorkspace = (
  links: Readonly<Record<string, string>> = {},
  isCaseBlind = false,
): Workspace => ({
  isCaseBlind,
  placesOf: (path) => {
    const absolute = posix.resolve('/project', path);
    const name = posix.relative('/project', absolute) || '.';
    const isInside = !name.startsWith('..');
    const link = links[name];
    const paths = isInside ? [name, ...(link === undefined ? [] : [link])] : [absolute];
    return { paths, isInside };
  },
});
