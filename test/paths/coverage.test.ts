import { expect, it } from 'vitest';
import { coverageOf } from '../../src/paths/coverage.ts';
import { CARRIED } from '../../src/paths/carried.ts';
import { CONFIGURATIONS } from '../../src/paths/configurations.ts';
import { graphOf } from '../../src/paths/graph.ts';

const coverage = coverageOf([...CONFIGURATIONS, ...CARRIED].map(graphOf));

it(`tier 1: all of the ${coverage.transitions} transitions are taken`, () => {
  expect(coverage.missedTransitions).toEqual([]);
});

it(`tier 1: each of the ${coverage.guards} guards is seen true and false`, () => {
  expect(coverage.missedAnswers).toEqual([]);
});
