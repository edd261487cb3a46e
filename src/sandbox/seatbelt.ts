/** macOS: `sandbox-exec` with a profile that denies what it does not name. It was never run: see docs/security.md. */
import { join } from 'node:path';
import { environmentIn } from './system.ts';
import type { Cell, Sandbox } from './types.ts';

export const seatbelt: Sandbox = {
  name: 'seatbelt',
  // What may not be written in a workspace is denied by name there, but a new name could be moved over it.
  modes: ['ro'],
  launch: (cell) => ({
    command: '/usr/bin/sandbox-exec',
    args: ['-p', seatbeltProfile(cell), cell.interpreter.path, ...cell.flags, cell.script],
    env: environmentIn(cell),
    cwd: cell.workdir,
    inputs: [],
    tellsInner: false,
  }),
};

/** Later rules beat earlier ones. */
export function seatbeltProfile({
  workdir,
  scratch,
  folder,
  script,
  hidden,
  interpreter,
  network,
}: Cell): string {
  const readable = [
    '/usr',
    '/bin',
    '/System',
    '/Library/Frameworks',
    '/private/var/db/dyld',
    ...interpreter.folders,
  ];
  const writable = [scratch, join(folder, 'tmp')];
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow file-read-metadata)',
    `(allow file-read* ${subpaths([...readable, workdir, ...writable])} (literal ${quoted(script)}))`,
    '(allow file-read* (literal "/") (literal "/dev/null") (literal "/dev/random") (literal "/dev/urandom"))',
    `(allow file-write* ${subpaths(writable)} (literal "/dev/null"))`,
    ...(hidden.length > 0 ? [`(deny file-read* file-write* ${subpaths(hidden)})`] : []),
    `(allow file-read* file-write* ${subpaths(writable)})`,
    ...(network ? ['(allow network-outbound)', '(allow system-socket)'] : []),
    '',
  ].join('\n');
}

const subpaths = (paths: readonly string[]): string =>
  paths.map((path) => `(subpath ${quoted(path)})`).join(' ');

/** A string of the profile's language. */
const quoted = (path: string): string => `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
