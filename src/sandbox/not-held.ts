import type { SandboxName } from './types.ts';

/** What the weaker sandboxes leave open: said by `turnstile doctor`, pinned by the tests of escapes. */
export const NOT_HELD: Partial<Readonly<Record<SandboxName, readonly string[]>>> = {
  landlock: [
    'names of files in the state folder, where that lies in the workspace, can be listed',
    'of a process or a file of a known name can be found out whether it exists, and of the file its size, times, owner and where it links to',
    'before Linux 6.12, processes of the same user can be sent signals',
  ],
};
