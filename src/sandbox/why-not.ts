/** Why a sandbox did not start, for whoever can change it. */
import { readFileSync } from 'node:fs';

/** What forbids namespaces, where it is set so: file below /proc/sys, the value that does, and what it means. */
const SETTINGS = [
  {
    file: 'kernel/apparmor_restrict_unprivileged_userns',
    value: '1',
    means: 'AppArmor lets only programs with a profile for it make user namespaces; bubblewrap may have none',
  },
  {
    file: 'kernel/unprivileged_userns_clone',
    value: '0',
    means: 'only root may make user namespaces here',
  },
  { file: 'user/max_user_namespaces', value: '0', means: 'user namespaces are switched off here' },
] as const;

/** What bubblewrap says when the kernel lets it make none; other programs and other failures have other causes. */
const REFUSED = /^bwrap: .*(uid map|new namespace|RTM_NEWADDR)/i;
/** The kernel's word for a number that is used up. */
const USED_UP = /ENOSPC|No space left/;

/**
 * @param failure what the program said last
 * @param setting the value of a file below /proc/sys, or null
 */
export function explained(failure: string, setting: (file: string) => string | null = settingOf): string {
  const [, program] = /execvp (\S+?): No such file/.exec(failure) ?? [];
  if (program === 'prlimit' || program === 'setpriv')
    return `${program} is not in /usr/bin: install util-linux`;
  const possible = SETTINGS.filter(
    ({ file }) => !USED_UP.test(failure) || file === 'user/max_user_namespaces',
  );
  const cause = REFUSED.test(failure)
    ? possible.find(({ file, value }) => setting(file) === value)
    : undefined;
  return cause === undefined
    ? failure
    : `${failure}: ${cause.means} (${cause.file.replace('/', '.')}=${cause.value}; docs/security.md)`;
}

function settingOf(file: string): string | null {
  try {
    return readFileSync(`/proc/sys/${file}`, 'latin1').trim();
  } catch {
    return null;
  }
}
