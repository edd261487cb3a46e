import { describe, expect, it } from 'vitest';
import { agentLoop } from '../../machines/index.ts';
import { CARRIED, CONFIGURATIONS } from '../../src/paths/configurations.ts';
import { graphOf } from '../../src/paths/graph.ts';
import { mutants } from './chart-mutants.ts';
import { whatKills } from './kill.ts';

const graphs = [...CONFIGURATIONS, ...CARRIED].map(graphOf).toSorted((a, b) => a.nodes.size - b.nodes.size);

describe('charts that differ from ours in one place', () => {
  it('are none of ours: the contract finds no fault in the chart itself', () => {
    expect(whatKills(agentLoop, graphs)).toBeNull();
  });

  it('are all noticed, without snapshots or counts', { timeout: 120_000 }, () => {
    let n = 0;
    const t = Date.now();
    const survivors = [...mutants()]
      .filter(({ machine }) => (n++, whatKills(machine, graphs) === null))
      .map(({ name }) => name);
    console.log(n, Date.now() - t, survivors.length);
    expect(survivors).toEqual([]);
  });
});
