import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIGURATIONS } from '../../src/paths/configurations.ts';
import { graphOf } from '../../src/paths/graph.ts';
import type { Stage } from '../../src/paths/stage.ts';
import { completed, edgePaths } from '../../src/paths/walk.ts';
import { newTally, openStage, playAll } from './play.ts';

const rows = CONFIGURATIONS.map((configuration) => {
  const graph = graphOf(configuration);
  const edges = edgePaths(graph).map((path) => completed(graph, path));
  // Where a run stops before it begins there is no edge, but there is the run.
  return { configuration, name: configuration.name, paths: edges.length === 0 ? [[]] : edges };
}).map((row) => ({ ...row, count: row.paths.length }));

const total = rows.reduce((sum, { count }) => sum + count, 0);

describe(`tier 2: ${total} paths, one for each edge, over HTTP with real tools`, () => {
  const tally = newTally();
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage();
  });

  afterAll(async () => {
    await stage.close();
  });

  it.each(rows)(
    '$name: all $count go as the chart says',
    { timeout: 1_200_000 },
    async ({ configuration, paths }) => {
      expect(await playAll(stage, configuration, paths, tally)).toEqual([]);
    },
  );

  it('every one of them was provoked from outside', () => {
    expect(tally.paths).toBe(total);
    // As many as there are facts of a model, of scripts and of aborts: none is made up.
    expect({ ...tally, requests: tally.requests > total, processes: tally.processes > 300 }).toMatchObject({
      requests: true,
      processes: true,
    });
  });
});
