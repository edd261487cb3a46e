/** The graph of the machine that runs: the very object, no copy of it. */
import { initialTransition, type SnapshotFrom } from 'xstate';
import { adjacencyMapToArray, getAdjacencyMap, serializeSnapshot } from 'xstate/graph';
import { agentLoop, type LoopEvent, type LoopInput } from '../../machines/index.ts';
import { possibleFacts } from './alphabet.ts';
import { inputOf, type Configuration } from './configuration.ts';
import { graphWithDeaths } from './deaths.ts';

export type Snapshot = SnapshotFrom<typeof agentLoop>;

export interface Edge {
  readonly event: LoopEvent;
  /** Of the state that it leads to. */
  readonly to: string;
}

interface Node {
  readonly snapshot: Snapshot;
  readonly edges: readonly Edge[];
}

export interface Graph {
  readonly configuration: Configuration;
  readonly start: string;
  /** Every reachable state, by its whole identity: value and context, and what died with an earlier process. */
  readonly nodes: ReadonlyMap<string, Node>;
}

const keyOf = (snapshot: Snapshot): string => serializeSnapshot(snapshot);

/** Every state that the facts of the configuration reach, and every edge between them. */
export function graphOf(configuration: Configuration): Graph {
  if (configuration.hasResumptions === true) return graphWithDeaths(configuration);
  const input = inputOf(configuration);
  const [start] = initialTransition(agentLoop, input);
  const map = getAdjacencyMap<Snapshot, LoopEvent, LoopInput>(agentLoop, {
    input,
    events: (snapshot) => possibleFacts(snapshot, configuration),
    limit: 200_000,
  });
  const nodes = new Map<string, { readonly snapshot: Snapshot; readonly edges: Edge[] }>();
  const nodeOf = (snapshot: Snapshot) => {
    const key = keyOf(snapshot);
    const node = nodes.get(key) ?? { snapshot, edges: [] };
    nodes.set(key, node);
    return { key, node };
  };
  const { key: first } = nodeOf(start);
  for (const { state, event, nextState } of adjacencyMapToArray(map)) {
    nodeOf(state).node.edges.push({ event, to: nodeOf(nextState).key });
  }
  return { configuration, start: first, nodes };
}
