/** Plays paths against the real system, each on a fresh copy of a workspace, over one strict server. */
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
      await server.close();
      if (untouched !== null) await discard(untouched);
    },
    play: async (path, configuration, seed) => {
      const workdir = untouched ?? (await copyOf(workspace));
      untouched = null;
      const play = new Play(path, configuration, seed, { workdir, python, server, tools, rules });
      playing = play;
      const played = await play.run().finally(async () => {
        if (play.processes === 0 && !hasOwnTools) untouched = workdir;
        else await discard(workdir);
      });
      return played;
    },
  };
}

async function copyOf(workspace: string): Promise<string> {
  const workdir = await mkdtemp(join(tmpdir(), 'turnstile path '));
  await cp(workspace, workdir, { recursive: true });
  return workdir;
}

const discard = (workdir: string): Promise<void> => rm(workdir, { recursive: true, force: true });

const NOBODY: Reply = says('');
