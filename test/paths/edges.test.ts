import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIGURATIONS } from '../../src/paths/configurations.ts';
import type { Stage } from '../../src/paths/stage.ts';
import { edgeRows, newTally, openStage, playAll, printTally, scriptsOf, totalOf } from './play.ts';

const rows = edgeRows(CONFIGURATIONS);
const total = totalOf(rows);

describe(`tier 2: ${total.paths} paths that take all of ${total.edges} edges, over HTTP with real tools`, () => {
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
    printTally('tier 2', tally);
    expect(tally.paths).toBe(total.paths);
    // As many as there are facts of a model and of scripts: none is made up.
    expect(tally.requests).toBeGreaterThanOrEqual(tally.responses);
    expect(tally.responses).toBeGreaterThan(total.paths);
    expect(tally.processes).toBeGreaterThanOrEqual(scriptsOf(rows));
  });
});
