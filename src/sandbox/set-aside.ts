/** Protected names at the top of a workspace that code may change: those that it made are taken out of the way. */
import { chmodSync, lstatSync, readdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { protectedName } from './protected.ts';

/** What stands under each protected name: where a link leads to, or null for what is none, which the sandbox binds. */
type Entries = ReadonlyMap<string, string | null>;

/**
 * Notes what is there before code runs. A sandbox binds what is there; what is not there yet, and links, it cannot.
 * @returns to be called when nothing of the code is running any more: renames what the code made under a protected name to
 * `NAME.set-aside-N`, puts links back, and gives the protected names of which it did so
 * @throws the error of the file system, when something could not be put right
 */
export function namesKept(workdir: string): () => readonly string[] {
  const before = entriesOf(workdir);
  return () => {
    // The code owns the folder where it runs as its user: it may have closed it.
    if (process.getuid?.() === lstatSync(workdir).uid) chmodSync(workdir, lstatSync(workdir).mode | 0o700);
    const after = entriesOf(workdir);
    const made = [...after.keys()].filter((name) => before.get(name) !== after.get(name));
    for (const name of made) renameSync(join(workdir, name), freeName(workdir, protectedName(name) ?? name));
    const links = [...before].flatMap(([name, link]) => (link === null ? [] : [{ name, link }]));
    const gone = links.filter(({ name }) => !after.has(name) || made.includes(name));
    for (const { name, link } of gone) symlinkSync(link, join(workdir, name));
    const changed = [...made, ...gone.map(({ name }) => name)];
    return [...new Set(changed.map((name) => protectedName(name) ?? name))];
  };
}

function entriesOf(workdir: string): Entries {
  const entries = readdirSync(workdir, { withFileTypes: true });
  const kept = entries.filter(({ name }) => protectedName(name) !== null);
  return new Map(
    kept.map((entry) => [
      entry.name,
      entry.isSymbolicLink() ? readlinkSync(join(workdir, entry.name)) : null,
    ]),
  );
}

function freeName(workdir: string, name: string): string {
  const taken = new Set(readdirSync(workdir));
  for (let number = 1; ; number += 1) {
    const free = `${name}.set-aside-${number}`;
    if (!taken.has(free)) return join(workdir, free);
  }
}
