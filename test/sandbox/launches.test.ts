import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bubblewrapArgs } from '../../src/sandbox/bubblewrap.ts';
import { landlock, landlockPlan } from '../../src/sandbox/landlock.ts';
import { seatbelt, seatbeltProfile } from '../../src/sandbox/seatbelt.ts';
import { cellWith } from './cells.ts';

const joined = (...cell: Parameters<typeof cellWith>): string => bubblewrapArgs(cellWith(...cell)).join(' ');

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const path of ['.git', '.turnstile/runs', 'src', 'deep/inside/.hidden', 'deep/beside']) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  writeFileSync(join(folder, 'a.txt'), '');
  symlinkSync('/etc', join(folder, 'link'));
  return folder;
}

describe('bubblewrap', () => {
  it.each([
    {
      what: 'namespaces of its own',
      holds: /--unshare-user --disable-userns .*--unshare-ipc --unshare-pid .*--unshare-net/,
    },
    { what: 'no capability', holds: /--cap-drop ALL(?!.*--cap-add)/ },
    { what: 'no terminal, no parent, no environment', holds: /--new-session --die-with-parent --clearenv/ },
    {
      what: 'a workspace that cannot be changed',
      holds: /--ro-bind \/home\/me\/project \/home\/me\/project/,
    },
    { what: 'a scratch folder', holds: /--bind \S+scratch\/run \/scratch/ },
    {
      what: 'settings of the kernel that cannot be changed',
      holds: /--proc \/proc --ro-bind \/proc\/sys \/proc\/sys/,
    },
    { what: 'a root that cannot be changed', holds: /--remount-ro \/ --remount-ro \/dev --chdir/ },
    { what: 'a filter', holds: /--seccomp 3/ },
  ])('has $what', ({ holds }) => {
    expect(joined()).toMatch(holds);
  });

  it('has nothing of a home folder but the workspace', () => {
    expect(
      bubblewrapArgs(cellWith()).filter((path) => path.startsWith('/home/me/') || path === '/etc'),
    ).toEqual([
      '/home/me/project/.turnstile/scratch/run',
      '/home/me/project',
      '/home/me/project',
      '/home/me/project',
    ]);
  });

  it('gives root no user namespace, which would map nobody to root, but what it takes to become nobody', () => {
    const args = joined({ uid: 65_534 });
    expect(args).not.toContain('--unshare-user');
    expect(args).toMatch(/--cap-drop ALL.*--cap-add CAP_SETUID --cap-add CAP_SETGID$/);
  });

  it('has the network, and what names are looked up with, only when it is allowed', () => {
    expect(joined({ network: true })).toMatch(/\/etc\/resolv\.conf/);
    expect(joined({ network: true })).not.toContain('--unshare-net');
    expect(joined()).not.toContain('resolv.conf');
  });

  it('lets a workspace be changed, but not what the user runs from it', () => {
    const workdir = project();
    const args = joined({ workdir, mode: 'rw' });
    expect(args).toContain(`--bind ${workdir} ${workdir}`);
    expect(args).toContain(`--ro-bind ${workdir}/.git ${workdir}/.git`);
  });

  it('shows an empty folder in place of a hidden one', () => {
    const workdir = project();
    expect(joined({ workdir, hidden: [join(workdir, '.turnstile')] })).toContain(
      `--tmpfs ${workdir}/.turnstile --remount-ro ${workdir}/.turnstile`,
    );
  });

  it.each(['/', '/usr', '/tmp', '/etc', '/proc'])('does not take %s for a workspace', (workdir) => {
    expect(() => joined({ workdir })).toThrow(/cannot be the workspace of a sandbox/);
  });
});

describe('Landlock', () => {
  const granted = (workdir: string, hidden: readonly string[]) =>
    landlockPlan(cellWith({ workdir, hidden: hidden.map((path) => join(workdir, path)) }))
      .paths.filter(([, path]) => path.startsWith(workdir))
      .map(([kind, path]) => `${kind} ${path.slice(workdir.length) || '/'}`)
      .toSorted();

  it('grants a workspace as a whole where nothing in it is hidden', () => {
    expect(granted(project(), [])).toEqual(['look /']);
  });

  it('grants everything beside a hidden folder, and of the folders above it only the names', () => {
    expect(granted(project(), ['.turnstile', 'deep/inside/.hidden'])).toEqual([
      'list /',
      'list /deep',
      'list /deep/inside',
      'look /.git',
      'look /a.txt',
      'look /deep/beside',
      'look /src',
    ]);
  });

  it('never lets a workspace be changed', () => {
    expect(landlock.modes).toEqual(['ro']);
    const { paths } = landlockPlan(cellWith());
    expect(paths.filter(([kind]) => kind === 'change').map(([, path]) => path)).toEqual([
      '/home/me/project/.turnstile/scratch/run',
      '/tmp/call/tmp',
    ]);
  });
});

describe('Seatbelt', () => {
  it('denies what its profile does not name', () => {
    expect(seatbeltProfile(cellWith({ hidden: ['/home/me/project/.turnstile'] }))).toMatchSnapshot();
  });

  it('is given the profile as an argument, and no shell', () => {
    const { command, args } = seatbelt.launch(cellWith());
    expect(command).toBe('/usr/bin/sandbox-exec');
    expect(args.slice(2)).toEqual(['/usr/bin/python3', '-I', '/tmp/call/code.py']);
  });

  it('cannot be left by the name of a folder', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const profile = seatbeltProfile(cellWith({ workdir: `/w/${name}` }));
        const strings = profile.replaceAll(/"(?:[^"\\]|\\[^])*"/g, '""');
        const usual = seatbeltProfile(cellWith({ workdir: '/w/x' })).replaceAll(/"(?:[^"\\]|\\[^])*"/g, '""');
        expect(strings).toBe(usual);
      }),
    );
  });
});
