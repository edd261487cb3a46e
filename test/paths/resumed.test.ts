import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CARRIED, REFUSED } from '../../src/paths/carried.ts';
import { canBegin } from '../../src/paths/prelude.ts';
import type { Stage } from '../../src/paths/stage.ts';
import { edgeRows, newTally, openStage, playAll, printTally, scriptsOf, totalOf } from './play.ts';

const rows = edgeRows(CARRIED);
const total = totalOf(rows);

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  await stage.close();
});

describe(`tier 2: ${total.paths} paths of runs that go on, which take all of ${total.edges} edges, over HTTP with real tools`, () => {
  const tally = newTally();

  it.each(rows)(
    '$name: all $count go as the chart says',
    { timeout: 1_200_000 },
    async ({ configuration, paths }) => {
      expect(await playAll(stage, configuration, paths, tally)).toEqual([]);
    },
  );

  it('every one of them was provoked from outside', () => {
    printTally('tier 2, runs that go on', tally);
    expect(tally.paths).toBe(total.paths);
    expect(tally.requests).toBeGreaterThanOrEqual(tally.responses);
    expect(tally.responses).toBeGreaterThan(total.paths);
    expect(tally.processes).toBeGreaterThanOrEqual(scriptsOf(rows));
    expect(tally.deaths).toBeGreaterThan(1_000);
  });
});

/** Without room for another turn the library does not begin. */
const refused: readonly (readonly [string, RegExp])[] = [
  ['carried beyond the limit', /^No turn is left: 2 of 2 were asked\. Raise the limit/],
  ['carried beyond the limit, ask', /^No turn is left: 2 of 2 were asked\. Raise the limit/],
  ['carried spend', /^The budget has no room for another turn: it may take .* Raise the limit/],
];

describe('a run that has no room for another turn is not gone on with', () => {
  it('these are all of them', () => {
    const names = [...CARRIED, ...REFUSED].filter((one) => !canBegin(one)).map(({ name }) => name);
    expect(names).toEqual(refused.map(([name]) => name));
  });

  it.each(refused)('%s', async (name, message) => {
    const configuration = REFUSED.find((one) => one.name === name);
    if (configuration === undefined) throw new Error(`There is no ${name}.`);
    await expect(stage.play([], configuration, 0)).rejects.toThrow(message);
  });
});
