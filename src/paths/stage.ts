/** Plays paths against the real system, on copies of a workspace, over one strict server. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { says, type Reply } from '../testing/reply.ts';
import { startStrictServer } from '../testing/server.ts';
import type { Configuration } from './configuration.ts';
import type { Rule } from '../ports.ts';
import { checkTools, type ScriptedTools } from './own-tools.ts';
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
  /** Every path finds a copy of it. */
  readonly workspace: string;
  readonly python: string;
  /** In place of the built-in ones. */
  readonly tools?: ScriptedTools;
  /** Rules for them. */
  readonly rules?: readonly Rule[];
}

/** @throws {RangeError} when a tool cannot be what it stands for */
export async function createStage(options: StageOptions): Promise<Stage> {
  const { workspace, python, tools = {}, rules = [] } = options;
  checkTools(tools);
  const hasOwnTools = Object.keys(tools).length > 0;
  let playing: Play | null = null;
  // What its reads find they write themselves, so a copy in which no script has run is as good as a new one.
  let untouched: string | null = null;
  const server = await startStrictServer({ respond: (request) => playing?.respond(request) ?? NOBODY });
  return {
    close: async () => {
      if (untouched !== null) await discard(untouched);
      await server.close();
    },
    play: async (path, configuration, seed) => {
      const workdir = untouched ?? (await copyOf(workspace));
      untouched = null;
      let isUntouched = false;
      try {
        const play = new Play(path, configuration, seed, { workdir, python, server, tools, rules });
        playing = play;
        return await play.run().finally(() => {
          isUntouched = play.processes === 0 && !hasOwnTools;
        });
      } finally {
        if (isUntouched) untouched = workdir;
        else await discard(workdir);
      }
    },
  };
}

async function copyOf(workspace: string): Promise<string> {
  const workdir = await mkdtemp(join(tmpdir(), 'turnstile path '));
  try {
    await cp(workspace, workdir, { recursive: true });
    return workdir;
  } catch (error) {
    await discard(workdir);
    throw error;
  }
}

const discard = (workdir: string): Promise<void> => rm(workdir, { recursive: true, force: true });

/** A path takes some 20 ms, and a second where a script has to time out. */
const PATIENCE_MS = 10_000;

/** What the path made of the loop; null: it hangs. The parameters are those of `Stage.play`. */
export const playOrHang = (stage: Stage, ...played: Parameters<Stage['play']>): Promise<Played | null> =>
  Promise.race([
    stage.play(...played),
    new Promise<null>((resolve) => {
      setTimeout(() => resolve(null), PATIENCE_MS).unref();
    }),
  ]);

const NOBODY: Reply = says('');
