import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SMALL } from '../../src/paths/configurations.ts';
import { graphOf } from '../../src/paths/graph.ts';
import type { Stage } from '../../src/paths/stage.ts';
import { simplePaths } from '../../src/paths/walk.ts';
import { newTally, openStage, playAll, printTally } from './play.ts';

const rows = SMALL.map((configuration) => {
  const paths = [...simplePaths(graphOf(configuration))];
  return { configuration, name: configuration.name, paths, count: paths.length };
});

const total = rows.reduce((sum, { count }) => sum + count, 0);

describe(`tier 3: ${total} paths, every simple one to every stop, over HTTP with real tools`, () => {
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

  it('every one of them was played', () => {
    printTally('tier 3', tally);
    expect(tally.paths).toBe(total);
    expect(tally.requests).toBeGreaterThanOrEqual(tally.responses);
  });
});
