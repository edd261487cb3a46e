import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEEP, LONG, SMALL } from '../../src/paths/configurations.ts';
import { graphOf } from '../../src/paths/graph.ts';
import { breachesOn } from '../../src/paths/prove.ts';
import type { Stage } from '../../src/paths/stage.ts';
import { completed, coveringPaths, pairPaths, randomPath } from '../../src/paths/walk.ts';
import { randomFrom } from '../../src/testing/random.ts';
import { newTally, openStage, playAll } from './play.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  await stage.close();
});

const edges = DEEP.map((configuration) => {
  const paths = coveringPaths(graphOf(configuration));
  return { configuration, name: configuration.name, paths, count: paths.length };
});

const pairs = SMALL.map((configuration) => {
  const graph = graphOf(configuration);
  const paths = [...pairPaths(graph)].map((path) => completed(graph, path));
  return { configuration, name: configuration.name, paths, count: paths.length };
});

describe('tier 4', () => {
  it.each(edges)('$name: $count paths that take every edge', async ({ configuration, paths }) => {
    expect(await playAll(stage, configuration, paths, newTally())).toEqual([]);
  });

  it.each(pairs)('$name: a path for each of $count pairs of edges', async ({ configuration, paths }) => {
    expect(await playAll(stage, configuration, paths, newTally())).toEqual([]);
  });
});

const WALKS = 500;

describe(`tier 5: ${WALKS} random walks of up to 20 turns`, () => {
  const random = randomFrom(Number(process.env['PATHS_SEED'] ?? 1));
  const walks = Array.from({ length: WALKS }, () => randomPath(LONG, random, 300, 1 / 80)).filter(
    (path) => path.at(-1)?.snapshot.status === 'done',
  );

  it('one in ten at least has 20 turns', () => {
    const far = walks.filter((path) => (path.at(-1)?.snapshot.context.turn ?? 0) >= 20);
    expect(far.length).toBeGreaterThan(WALKS / 10);
  });

  it('the contract holds at each step', () => {
    expect(walks.flatMap((path) => breachesOn(path, LONG))).toEqual([]);
  });

  it('the real system goes the same way', async () => {
    expect(await playAll(stage, LONG, walks, newTally())).toEqual([]);
  });
});
