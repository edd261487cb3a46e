/** Paths played against the real system, for the tests of the tiers. */
import { fileURLToPath } from 'node:url';
import { findPython } from '../../src/sandbox/index.ts';
import { differencesOf } from '../../src/paths/compare.ts';
import type { Configuration } from '../../src/paths/configuration.ts';
import { createStage, playOrHang, type Stage } from '../../src/paths/stage.ts';
import { graphOf } from '../../src/paths/graph.ts';
import { coveringPaths, edgePaths, type Path } from '../../src/paths/walk.ts';
import { breachesOn } from '../../src/paths/prove.ts';
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

/** Rows of a table of tests: paths that take every edge. */
export const edgeRows = (configurations: readonly Configuration[]) =>
  configurations.map((configuration) => {
    const graph = graphOf(configuration);
    const covering = coveringPaths(graph);
    // Where a run stops before it begins there is no edge, but there is the run.
    const paths = covering.length === 0 ? [[]] : covering;
    const edges = edgePaths(graph).length;
    return { configuration, name: configuration.name, paths, edges, count: paths.length };
  });

export const totalOf = (rows: ReturnType<typeof edgeRows>) => ({
  paths: rows.reduce((sum, { count }) => sum + count, 0),
  edges: rows.reduce((sum, { edges }) => sum + edges, 0),
});

export interface Tally {
  /** Paths whose facts were all provoked from outside: responses as bytes over HTTP, real tools, real aborts. */
  paths: number;
  requests: number;
  /** Facts of a model. */
  responses: number;
  processes: number;
  aborts: number;
  /** Processes that have died in the middle of a run. */
  deaths: number;
}

export const newTally = (): Tally => ({
  paths: 0,
  requests: 0,
  responses: 0,
  processes: 0,
  aborts: 0,
  deaths: 0,
});

/** @returns the paths that went otherwise, and how */
export async function playAll(
  stage: Stage,
  configuration: Configuration,
  paths: readonly Path[],
  tally: Tally,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [index, path] of paths.entries()) {
    const played = await playOrHang(stage, path, configuration, index);
    if (played === null) {
      faults.push(`${describePath(path)}\n  It hangs.`);
      continue;
    }
    const differences = [...breachesOn(path, configuration), ...differencesOf(path, played)];
    if (differences.length > 0) {
      faults.push(`${describePath(path)}\n  ${differences.join('\n  ')}`);
      continue;
    }
    tally.paths += 1;
    tally.requests += played.requests.length;
    tally.responses += path.filter(({ event }) => event.type.startsWith('model.')).length;
    tally.processes += played.processes;
    tally.aborts += played.lines.filter(({ type }) => type === 'run.aborted').length;
    tally.deaths += played.deaths;
  }
  return faults;
}

/** What a tier was made of: counted by the server, the tools, the journal and the player, not by the paths. */
export function printTally(tier: string, tally: Tally): void {
  const counts = Object.entries(tally).map(([what, count]) => `${count} ${what}`);
  process.stdout.write(`${tier}: ${counts.join(', ')}\n`);
}

/** Calls of scripts that came to an end by themselves: each of them needs a process. */
export const scriptsOf = (rows: ReturnType<typeof edgeRows>): number =>
  rows
    .flatMap(({ paths }) => paths)
    .reduce((sum, path) => sum + path.filter((_, index) => isScriptEnd(path, index)).length, 0);

function isScriptEnd(path: Path, index: number): boolean {
  const fact = path[index]?.event;
  if (fact?.type !== 'tool.finished' || !ENDED.has(fact.outcome.kind)) return false;
  const calls = path[index - 1]?.snapshot.context.calls ?? [];
  return calls.some(({ id, name }) => id === fact.callId && name === 'ask');
}

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'timed_out']);
