/** Paths played against the real system, for the tests of the tiers. */
import { fileURLToPath } from 'node:url';
import { findPython } from '../../src/sandbox/index.ts';
import { differencesOf } from '../../src/paths/compare.ts';
import type { Configuration } from '../../src/paths/configuration.ts';
import { createStage, type Stage } from '../../src/paths/stage.ts';
import type { Path } from '../../src/paths/walk.ts';
import { describePath } from '../../src/paths/describe.ts';

export async function openStage(): Promise<Stage> {
  // XState starts an actor without input for each transition, which throws and is caught: stacks cost more than all else.
  Error.stackTraceLimit = 0;
  const python = findPython(process.env);
  if (python === null) throw new Error('These tests run python3, and there is none.');
  return createStage({
    workspace: fileURLToPath(new URL('../../workspace', import.meta.url)),
    python: python.path,
  });
}

export interface Tally {
  /** Paths whose facts were all provoked from outside: responses as bytes over HTTP, real tools, real aborts. */
  paths: number;
  requests: number;
  processes: number;
  aborts: number;
}

export const newTally = (): Tally => ({ paths: 0, requests: 0, processes: 0, aborts: 0 });

/** @returns the paths that went otherwise, and how */
export async function playAll(
  stage: Stage,
  configuration: Configuration,
  paths: readonly Path[],
  tally: Tally,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [index, path] of paths.entries()) {
    const played = await Promise.race([stage.play(path, configuration, index), after(PATIENCE_MS)]);
    if (played === null) {
      faults.push(`${describePath(path)}\n  It hangs.`);
      continue;
    }
    const differences = differencesOf(path, played);
    if (differences.length > 0) faults.push(`${describePath(path)}\n  ${differences.join('\n  ')}`);
    tally.paths += 1;
    tally.requests += played.requests.length;
    tally.processes += played.processes;
    tally.aborts += path.filter(({ event }) => event.type === 'run.aborted').length;
  }
  return faults;
}

/** A path takes some 20 ms, and a second where a script has to time out. */
const PATIENCE_MS = 10_000;

const after = (ms: number): Promise<null> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(null), ms).unref();
  });
