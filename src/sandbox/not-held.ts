import type { SandboxName } from './types.ts';

/** What the weaker sandboxes leave open: said by `turnstile doctor`, pinned by the tests of escapes. */
export const NOT_HELD: Partial<Readonly<Record<SandboxName, readonly string[]>>> = {
  landlock: [
    'names of files in the state folder, where that lies in the workspace, can be listed',
    'System V shared memory of the same user can be reached',
    'which processes there are is seen only as a number, but before Linux 6.12 those of the same user can be sent signals',
    'files in the folder of a call are held by the limits of the disk only, not by a small /tmp of its own',
  ],
};
