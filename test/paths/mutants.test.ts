import { beforeAll, describe, expect, it } from 'vitest';
import { agentLoop } from '../../machines/index.ts';
import { CARRIED } from '../../src/paths/carried.ts';
import { CONFIGURATIONS } from '../../src/paths/configurations.ts';
import { graphOf } from '../../src/paths/graph.ts';
import { mutants } from './chart-mutants.ts';
import { EQUIVALENT } from './equivalent-mutants.ts';
import { restsAlike, whatKills } from './kill.ts';
import { placesIn } from './places.ts';

const graphs = [...CONFIGURATIONS, ...CARRIED].map(graphOf).toSorted((a, b) => a.nodes.size - b.nodes.size);
const walks = graphs.map((graph) => ({ graph, places: placesIn(graph) }));
/** The graphs in which a mutant can differ from our chart. */
const graphsWith = (place: string) =>
  walks.filter(({ places }) => places.has(place)).map(({ graph }) => graph);
const all = [...mutants()];
const equivalent = EQUIVALENT.flatMap(({ mutants: names }) => names);
const others = all.length - equivalent.length;

// XState starts an actor without input for each transition, which throws and is caught: its stack is the costliest part.
beforeAll(() => {
  Error.stackTraceLimit = 0;
});

describe(`${all.length} charts that differ from ours in one place`, () => {
  it('are not ours: in the chart itself the contract finds no fault', () => {
    expect(whatKills(agentLoop, graphs)).toBeNull();
  });

  it('each differ in a place that some walk comes to', () => {
    expect(all.filter(({ place }) => graphsWith(place).length === 0).map(({ name }) => name)).toEqual([]);
  });

  it(
    `are noticed by the contract, without snapshots or counts: ${others} of them`,
    { timeout: 1_200_000 },
    () => {
      const survivors = all.filter(({ machine, place }) => whatKills(machine, graphsWith(place)) === null);
      expect(survivors.map(({ name }) => name).toSorted()).toEqual(equivalent.toSorted());
    },
  );

  describe.each(EQUIVALENT)('change nothing. $why', ({ mutants: names }) => {
    it.each(names)('%s', (name) => {
      const mutant = all.find((other) => other.name === name);
      expect(mutant && restsAlike(mutant.machine, graphsWith(mutant.place))).toBe(true);
    });
  });
});
