import type { SandboxName } from './types.ts';

/** What the weaker sandboxes leave open: said by `turnstile doctor`, pinned by the tests of escapes. */
export const NOT_HELD: Partial<Readonly<Record<SandboxName, readonly string[]>>> = {
  landlock: [
    'names of files in the state folder, where that lies in the workspace, can be listed',
    'whether a process or a file of a known name exists can be found out',
    'before Linux 6.12, processes of the same user can be sent signals',
  ],
};
