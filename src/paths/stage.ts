/** Plays paths against the real system, each on a fresh copy of a workspace, over one strict server. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { says, type Reply } from '../testing/reply.ts';
import { startStrictServer } from '../testing/server.ts';
import type { Configuration } from './configuration.ts';
import { Play, type Played } from './play.ts';
import type { Path } from './walk.ts';

export interface Stage {
  /**
   * @param seed picks among the ways in which the same fact can come about
   * @throws {UserError} when the run has no room for another turn, and so is not gone on with: see `canBegin`
   */
  play(path: Path, configuration: Configuration, seed: number): Promise<Played>;
  close(): Promise<void>;
}

export interface StageOptions {
  /** Copied for every path. */
  readonly workspace: string;
  readonly python: string;
}

export async function createStage({ workspace, python }: StageOptions): Promise<Stage> {
  let playing: Play | null = null;
  const server = await startStrictServer({ respond: (request) => playing?.respond(request) ?? NOBODY });
  return {
    close: () => server.close(),
    play: async (path, configuration, seed) => {
      const workdir = await mkdtemp(join(tmpdir(), 'turnstile path '));
      try {
        await cp(workspace, workdir, { recursive: true });
        playing = new Play(path, configuration, seed, { workdir, python, server });
        return await playing.run();
      } finally {
        await rm(workdir, { recursive: true, force: true });
      }
    },
  };
}

const NOBODY: Reply = says('');
