/** Which journal a person means. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { UserError } from '../errors.ts';
import { runsFolder } from '../journal/file.ts';
import { isOwn } from '../journal/own.ts';
import { visibleLine } from '../text/visible.ts';

export interface FoundRun {
  readonly path: string;
  /** It lies in the state folder. Who put it there is another question: see `foreignness`. */
  readonly isInStateFolder: boolean;
}

export interface ListedRun {
  readonly id: string;
  readonly path: string;
  /** Of its last line, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** The runs of a state folder, the newest first. */
export async function listRuns(stateDir: string): Promise<readonly ListedRun[]> {
  const folder = runsFolder(resolve(stateDir));
  const names = await readdir(folder).catch(() => []);
  const runs = await Promise.all(
    names.filter((name) => name.endsWith('.jsonl')).map((name) => listed(join(folder, name))),
  );
  return runs.filter((run) => run !== null).toSorted((a, b) => b.changedAt - a.changedAt);
}

async function listed(path: string): Promise<ListedRun | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) return null;
  return { id: basename(path, '.jsonl'), path, changedAt: found.mtimeMs };
}

/**
 * @param ref an id, the beginning of one, `last`, or a file
 * @throws {UserError} when there is no such run, or several
 */
export async function findRun(ref: string, stateDir: string): Promise<FoundRun> {
  if (ref.includes(sep) || ref.includes('/') || ref.endsWith('.jsonl')) return fileAt(ref, stateDir);
  const runs = await listRuns(stateDir);
  const said = visibleLine(ref);
  if (ref === 'last') {
    const [newest] = runs;
    if (newest !== undefined) return { path: newest.path, isInStateFolder: true };
    throw new UserError(`There are no runs in ${visibleLine(stateDir)} (--state-dir).`);
  }
  const exact = runs.find(({ id }) => id === ref);
  const alike = exact === undefined ? runs.filter(({ id }) => ref !== '' && id.startsWith(ref)) : [exact];
  const [match, ...others] = alike;
  if (match === undefined) {
    throw new UserError(
      `There is no run ${said} in ${visibleLine(stateDir)} (--state-dir). \`turnstile runs\` lists them; a journal elsewhere is named by its path.`,
    );
  }
  if (others.length > 0)
    throw new UserError(
      `${said} may be ${alike.map(({ id }) => visibleLine(id)).join(' or ')}. Type one more letter.`,
    );
  return { path: match.path, isInStateFolder: true };
}

async function fileAt(ref: string, stateDir: string): Promise<FoundRun> {
  const path = await realpath(ref).catch(() => null);
  if (path === null) throw new UserError(`There is no file ${visibleLine(ref)}.`);
  const own = await realpath(runsFolder(resolve(stateDir))).catch(() => null);
  return { path, isInStateFolder: own !== null && path.startsWith(own + sep) };
}

/** Why a journal could have been written by anybody, as the beginning of a sentence; null for one of one's own. */
export async function foreignness(
  { path, isInStateFolder }: FoundRun,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  if (!isInStateFolder) return 'This journal lies outside the state folder';
  return (await isOwn(path, env)) ? null : 'This journal was not begun on this account';
}
