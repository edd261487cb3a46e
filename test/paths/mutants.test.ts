import { describe, expect, it } from 'vitest';
import { agentLoop } from '../../machines/index.ts';
import { CARRIED, CONFIGURATIONS } from '../../src/paths/configurations.ts';
import { graphOf } from '../../src/paths/graph.ts';
import { mutants } from './chart-mutants.ts';
import { EQUIVALENT } from './equivalent-mutants.ts';
import { restsAlike, whatKills } from './kill.ts';

const graphs = [...CONFIGURATIONS, ...CARRIED].map(graphOf).toSorted((a, b) => a.nodes.size - b.nodes.size);
const all = [...mutants()];
const equivalent = EQUIVALENT.flatMap(({ mutants: names }) => names);
const others = all.length - equivalent.length;

describe(`${all.length} charts that differ from ours in one place`, () => {
  it('are not ours: in the chart itself the contract finds no fault', () => {
    expect(whatKills(agentLoop, graphs)).toBeNull();
  });

  it(
    `are noticed by the contract, without snapshots or counts: ${others} of them`,
    { timeout: 300_000 },
    () => {
      const survivors = all.filter(({ machine }) => whatKills(machine, graphs) === null);
      expect(survivors.map(({ name }) => name).toSorted()).toEqual(equivalent.toSorted());
    },
  );

  describe.each(EQUIVALENT)('change nothing. $why', ({ mutants: names }) => {
    it.each(names)('%s', (name) => {
      const mutant = all.find((other) => other.name === name);
      expect(mutant && restsAlike(mutant.machine, graphs)).toBe(true);
    });
  });
});
