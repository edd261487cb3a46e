import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { explained } from '../../src/sandbox/why-not.ts';

const UID_MAP = 'bwrap: setting up uid map: Permission denied';
const LOOPBACK = 'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted';
const CREATING = 'bwrap: Creating new namespace failed: Operation not permitted';
const NO_SPACE =
  'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)';

const APPARMOR = { 'kernel/apparmor_restrict_unprivileged_userns': '1' };

describe('why a sandbox did not start', () => {
  it.each<{ failure: string; settings?: Readonly<Record<string, string>>; says: RegExp | string }>([
    {
      failure: UID_MAP,
      settings: APPARMOR,
      says: /^bwrap: setting up uid map: .*AppArmor.*docs\/security\.md/,
    },
    { failure: LOOPBACK, settings: APPARMOR, says: /apparmor_restrict_unprivileged_userns=1/ },
    {
      failure: CREATING,
      settings: { 'kernel/unprivileged_userns_clone': '0' },
      says: /only root.*unprivileged_userns_clone=0/,
    },
    { failure: NO_SPACE, settings: { 'user/max_user_namespaces': '0' }, says: /switched off/ },
    // A setting that allows it is no reason.
    {
      failure: CREATING,
      settings: {
        'kernel/apparmor_restrict_unprivileged_userns': '0',
        'kernel/unprivileged_userns_clone': '1',
        'user/max_user_namespaces': '9000',
      },
      says: CREATING,
    },
    { failure: CREATING, says: CREATING },
    // A setting that has nothing to do with it is none either.
    {
      failure: "bwrap: Can't find source path /x: No such file",
      settings: APPARMOR,
      says: /^bwrap: Can't find .*file$/,
    },
    ...[
      "PermissionError: [Errno 13] Permission denied: '/scratch/.ready'",
      "bwrap: Can't bind mount /oldroot/x on /newroot/x: Permission denied",
      'bwrap: execvp /usr/bin/python3: Permission denied',
      'OSError: [Errno 28] No space left on device',
      'landlock: Permission denied',
    ].map((failure) => ({ failure, settings: APPARMOR, says: failure })),
    {
      failure: NO_SPACE,
      settings: { ...APPARMOR, 'user/max_user_namespaces': '0' },
      says: /user\.max_user_namespaces=0/,
    },
    { failure: 'bwrap: execvp prlimit: No such file or directory', says: /prlimit.*install util-linux/ },
    { failure: 'bwrap: execvp setpriv: No such file or directory', says: /setpriv.*install util-linux/ },
    { failure: 'bwrap: execvp /opt/py: No such file or directory', says: /^bwrap: execvp \/opt\/py/ },
  ])('$failure, with $settings', ({ failure, settings = {}, says }) => {
    const said = explained(failure, (file) => settings[file] ?? null);
    if (typeof says === 'string') expect(said).toBe(says);
    else expect(said).toMatch(says);
  });

  // What bubblewrap says of a program that is missing is its own; it is asked.
  it('knows how bubblewrap names a missing program', () => {
    const ask = () =>
      execFileSync('bwrap', ['--ro-bind', '/bin/true', '/x', '--', 'prlimit', '--version'], {
        stdio: 'pipe',
      });
    expect(ask).toThrow(/bwrap: execvp prlimit: No such file or directory/);
  });
});
