/**
 * Landlock and a filter of system calls, for where namespaces are forbidden (containers, some distributions): files that
 * are not named cannot be opened. It hides less than bubblewrap; docs/security.md lists what it does not hold.
 */
import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { LANDLOCK_LAUNCHER } from './landlock-launcher.ts';
import { seccompFilter } from './seccomp.ts';
import { environmentIn, isBelow, NETWORK_FILES, SYSTEM_FILES, SYSTEM_FOLDERS } from './system.ts';
import type { Cell, Sandbox, SandboxLimits } from './types.ts';

type Kind = 'list' | 'look' | 'change' | 'device';

/** What the launcher is told. */
interface LandlockPlan {
  readonly paths: readonly (readonly [Kind, string])[];
  /** Hexadecimal. */
  readonly filter: string;
  readonly limits: Readonly<Record<string, number>>;
  readonly uid: number | null;
  readonly cwd: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export const landlock: Sandbox = {
  name: 'landlock',
  // It only ever grants: the files in a workspace that nobody may write could not be taken out of it.
  modes: ['ro'],
  launch: (cell) => ({
    command: cell.interpreter.path,
    args: ['-I', '-S', '-B', '-c', LANDLOCK_LAUNCHER],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    inputs: [Buffer.from(JSON.stringify(landlockPlan(cell)))],
    tellsInner: false,
  }),
};

export function landlockPlan(cell: Cell): LandlockPlan {
  const { interpreter, flags, script, folder, workdir, scratch, hidden, network, limits, uid } = cell;
  const looks = [
    ...SYSTEM_FOLDERS,
    ...SYSTEM_FILES,
    ...(network ? NETWORK_FILES : []),
    ...interpreter.folders,
    script,
  ];
  return {
    paths: [
      ...looks.map((path) => ['look', path] as const),
      ...visiblePaths(workdir, hidden),
      ...[scratch, join(folder, 'tmp')].map((path) => ['change', path] as const),
      ['device', '/dev/null'],
      ['look', '/dev/urandom'],
      ['look', '/dev/zero'],
    ],
    filter: Buffer.from(
      seccompFilter({ sockets: network ? 'internet' : 'none', hasNamespaces: false }),
    ).toString('hex'),
    limits: limitsOf(limits),
    uid,
    cwd: workdir,
    command: interpreter.path,
    args: [...flags, script],
    env: environmentIn(cell),
  };
}

const limitsOf = (limits: SandboxLimits): Readonly<Record<string, number>> => ({
  AS: limits.memoryBytes,
  NPROC: limits.tasks,
  FSIZE: limits.fileBytes,
  CPU: limits.cpuSeconds,
  NOFILE: limits.openFiles,
  CORE: 0,
});

/**
 * A grant reaches everything below it, so the way down to a hidden folder is granted piece by piece: of folders on it
 * only the names, and of all others everything.
 */
function visiblePaths(folder: string, hidden: readonly string[]): LandlockPlan['paths'] {
  const below = hidden.filter((path) => isBelow(folder, path));
  if (below.length === 0) return [['look', folder]];
  return [['list', folder], ...entriesOf(folder).flatMap((entry) => visibleEntry(folder, entry, below))];
}

function visibleEntry(folder: string, entry: Dirent, hidden: readonly string[]): LandlockPlan['paths'] {
  const path = join(folder, entry.name);
  // What a link leads to is granted where it stands, or not at all.
  if (entry.isSymbolicLink() || hidden.includes(path)) return [];
  return entry.isDirectory() ? visiblePaths(path, hidden) : [['look', path]];
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
