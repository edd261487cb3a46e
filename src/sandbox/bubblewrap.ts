/** bubblewrap: namespaces of its own, in which only what is named here exists. */
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import { protectedName } from './protected.ts';
import { limitArgs } from './prlimit.ts';
import { seccompFilter } from './seccomp.ts';
import { isBelow, NETWORK_FILES, NOBODY, SYSTEM_FILES, SYSTEM_FOLDERS } from './system.ts';
import type { Cell, Sandbox } from './types.ts';

const TMP_BYTES = 64 * 1024 * 1024;
const SHARED_MEMORY_BYTES = 16 * 1024 * 1024;

export const bubblewrap: Sandbox = {
  name: 'bubblewrap',
  modes: ['ro', 'rw'],
  launch: (cell) => ({
    command: 'bwrap',
    args: [...bubblewrapArgs(cell), '--', ...programOf(cell)],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    inputs: [seccompFilter({ sockets: 'internet', hasNamespaces: true })],
    tellsInner: true,
  }),
};

/** Where things are for the code. */
const SCRATCH = '/scratch';
const SCRIPT = '/run/code.py';

/**
 * A list of what there is, not of what there is not: home folders, most of /etc, /var, sockets and other projects are
 * simply absent.
 */
export function bubblewrapArgs(cell: Cell): readonly string[] {
  const { workdir, mode, network, scratch, interpreter, hidden, uid, script } = cell;
  checkWorkdir(workdir);
  return [
    ...namespaces(cell),
    '--new-session',
    '--die-with-parent',
    '--clearenv',
    ...SYSTEM_FOLDERS.flatMap(systemFolder),
    ...readOnly(...SYSTEM_FILES, ...(network ? NETWORK_FILES : [])),
    '--proc',
    '/proc',
    // bubblewrap leaves these writable for a caller who is root.
    '--ro-bind',
    '/proc/sys',
    '/proc/sys',
    ...readOnly('/proc/sysrq-trigger', '/proc/irq', '/proc/bus'),
    // bubblewrap's own process, of the same user: written to, it would do anything, without the limits.
    ...masked('/proc/1'),
    '--dev',
    '/dev',
    '--size',
    String(TMP_BYTES),
    '--perms',
    '1777',
    '--tmpfs',
    '/tmp',
    '--size',
    String(SHARED_MEMORY_BYTES),
    '--perms',
    '1777',
    '--tmpfs',
    '/dev/shm',
    ...[SCRIPT, workdir, ...interpreter.folders].flatMap(foldersAbove),
    ...readOnly(...interpreter.folders),
    '--ro-bind',
    script,
    SCRIPT,
    '--bind',
    scratch,
    SCRATCH,
    mode === 'rw' ? '--bind' : '--ro-bind',
    workdir,
    workdir,
    ...(mode === 'rw' ? protectedPaths(workdir) : []),
    ...(mode === 'rw'
      ? interpreter.folders.filter((folder) => isBelow(workdir, folder)).flatMap((folder) => readOnly(folder))
      : []),
    ...hidden.filter((folder) => isBelow(workdir, folder) && isThere(folder)).flatMap(masked),
    '--remount-ro',
    '/',
    '--remount-ro',
    '/dev',
    '--chdir',
    workdir,
    ...Object.entries({ ...cell.env, PATH: pathOf(cell), HOME: '/tmp', TMPDIR: '/tmp', SCRATCH }).flatMap(
      ([name, value]) => ['--setenv', name, value],
    ),
    '--seccomp',
    '3',
    '--info-fd',
    '4',
    ...(uid === null ? [] : ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']),
  ];
}

/** Root sets up mounts as itself, and gives up everything before the code runs: a user namespace would map nobody to root. */
const namespaces = ({ uid, network }: Cell): readonly string[] => [
  ...(uid === null
    ? ['--unshare-user', '--disable-userns', '--uid', String(NOBODY), '--gid', String(NOBODY)]
    : []),
  '--unshare-ipc',
  '--unshare-pid',
  '--unshare-uts',
  '--unshare-cgroup-try',
  ...(network ? [] : ['--unshare-net']),
  '--hostname',
  'sandbox',
  '--cap-drop',
  'ALL',
];

const programOf = ({ interpreter, flags, limits, uid }: Cell): readonly string[] => [
  ...limitArgs(limits),
  ...(uid === null
    ? []
    : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--inh-caps=-all', '--']),
  interpreter.path,
  ...flags,
  SCRIPT,
];

/** A folder of the system, or the link to where it has moved. */
function systemFolder(path: string): readonly string[] {
  try {
    return lstatSync(path).isSymbolicLink()
      ? ['--symlink', readlinkSync(path), path]
      : ['--ro-bind', path, path];
  } catch {
    return [];
  }
}

/** Made for everybody: bubblewrap makes them as closed as what is bound there, and the code may run as another user. */
function foldersAbove(path: string): readonly string[] {
  const above = path.split('/').slice(1, -1);
  return above.flatMap((_name, index) => [
    '--perms',
    '0755',
    '--dir',
    `/${above.slice(0, index + 1).join('/')}`,
  ]);
}

const readOnly = (...paths: readonly string[]): readonly string[] =>
  paths.flatMap((path) => ['--ro-bind-try', path, path]);

/** Links are left out: what they lead to is not there. */
const protectedPaths = (workdir: string): readonly string[] =>
  readdirSync(workdir, { withFileTypes: true })
    .filter((entry) => protectedName(entry.name) !== null && !entry.isSymbolicLink())
    .map(({ name }) => join(workdir, name))
    .flatMap((path) => ['--ro-bind', path, path]);

const masked = (folder: string): readonly string[] => [
  '--perms',
  '0555',
  '--tmpfs',
  folder,
  '--remount-ro',
  folder,
];

const pathOf = ({ interpreter: { folders } }: Cell): string =>
  [...folders.map((folder) => join(folder, 'bin')), '/usr/bin', '/bin'].join(':');

const isThere = (path: string): boolean => {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
};

/** Bound over these, a workspace would bring back what is to be absent. */
const OVER = [
  '/',
  '/usr',
  '/proc',
  '/dev',
  '/tmp',
  '/run',
  '/etc',
  '/scratch',
  '/bin',
  '/lib',
  '/lib64',
  '/sbin',
];

function checkWorkdir(workdir: string): void {
  if (!OVER.includes(workdir)) return;
  throw new UserError(
    `${workdir} cannot be the workspace of a sandbox: name a folder of its own (--workdir).`,
  );
}
