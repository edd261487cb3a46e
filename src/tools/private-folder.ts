import { mkdtemp, rm } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './at-exit.ts';

/** A temporary folder outside the workspace, closed to other users, gone afterwards with all that is in it. */
export async function inPrivateFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'turnstile-'));
  const forget = atExit(() => rmSync(folder, { recursive: true, force: true }));
  try {
    return await use(folder);
  } finally {
    // What cannot be removed (code may have taken away its own permissions) is no failure of the call.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    forget();
  }
}
