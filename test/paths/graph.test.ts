import { getAdjacencyMap, serializeSnapshot } from '@xstate/graph';
import { describe, expect, it } from 'vitest';
import { agentLoop } from '../../machines/index.ts';
import { inputOf } from '../../src/paths/configuration.ts';
import { CARRIED } from '../../src/paths/carried.ts';
import { CONFIGURATIONS } from '../../src/paths/configurations.ts';
import { possibleFacts } from '../../src/paths/alphabet.ts';
import { graphOf, type Snapshot } from '../../src/paths/graph.ts';
import { coveringPaths } from '../../src/paths/walk.ts';

describe('the graph', () => {
  // The package of that name is where the tools came from; the ones that ship with xstate are used.
  it.each(CONFIGURATIONS.filter(({ name }) => ['calls', 'aborts', 'one turn'].includes(name)))(
    'of $name has the states that @xstate/graph finds',
    (configuration) => {
      const map = getAdjacencyMap(agentLoop, {
        input: inputOf(configuration),
        events: (snapshot: Snapshot) => possibleFacts(snapshot, configuration),
      });
      expect(Object.keys(map).toSorted()).toEqual([...graphOf(configuration).nodes.keys()].toSorted());
    },
  );

  it.each([...CONFIGURATIONS, ...CARRIED])(
    'of $name keeps the whole context as a state’s identity',
    (configuration) => {
      const { nodes } = graphOf(configuration);
      for (const [key, { snapshot }] of nodes) {
        const identity = serializeSnapshot(snapshot);
        // What a death leaves behind comes on top.
        expect(configuration.hasResumptions ? key.slice(0, identity.length) : key).toBe(identity);
      }
    },
  );

  it.each([...CONFIGURATIONS, ...CARRIED])(
    'of $name is covered by paths to a stop that take every edge',
    (configuration) => {
      const graph = graphOf(configuration);
      const edges = [...graph.nodes.values()].flatMap((node) => node.edges.map(({ event }) => event));
      const paths = coveringPaths(graph);
      expect(new Set(paths.flatMap((path) => path.map(({ event }) => event)))).toEqual(new Set(edges));
      expect(paths.filter((path) => path.at(-1)?.snapshot.status !== 'done')).toEqual([]);
    },
  );

  it.each([...CONFIGURATIONS, ...CARRIED])(
    'of $name has facts in each state that is no stop',
    (configuration) => {
      for (const { snapshot, edges } of graphOf(configuration).nodes.values()) {
        expect(edges.length > 0).toBe(snapshot.status === 'active');
      }
    },
  );
});
