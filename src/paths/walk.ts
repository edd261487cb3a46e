/** Paths through a graph. Each is a list of facts, as a journal is. */
import { initialTransition, transition } from 'xstate';
import { agentLoop, type LoopEvent } from '../../machines/index.ts';
import { inputOf, type Configuration } from './configuration.ts';
import { possibleFacts } from './alphabet.ts';
import { type Edge, type Graph, type Snapshot } from './graph.ts';

interface Step {
  readonly event: LoopEvent;
  /** Where the machine rests after the fact. */
  readonly snapshot: Snapshot;
}

export type Path = readonly Step[];

/** One path for each edge: the shortest way to its source, and the edge. */
export function edgePaths(graph: Graph): readonly Path[] {
  const shortest = shortestPaths(graph);
  return [...shortest].flatMap(([key, path]) =>
    edgesAt(graph, key).map((edge) => [...path, stepOf(graph, edge)]),
  );
}

/** Paths to a stop that take every edge between them. Where one may go on in several ways, it takes an edge that is new. */
export function coveringPaths(graph: Graph): readonly Path[] {
  const taken = new Set<LoopEvent>();
  const isNew = ({ event }: Edge): boolean => !taken.has(event);
  return edgePaths(graph).flatMap((path) => {
    const last = path.at(-1);
    if (last === undefined || taken.has(last.event)) return [];
    const whole = completed(graph, prolonged(graph, path, isNew));
    for (const { event } of whole) taken.add(event);
    return [whole];
  });
}

/** The path, and new edges behind it as long as they lead to states that it has not met. */
function prolonged(graph: Graph, path: Path, isNew: (edge: Edge) => boolean): Path {
  const met = new Set([graph.start]);
  const steps = [...path];
  let key = graph.start;
  for (const { event } of path) {
    key = edgesAt(graph, key).find((edge) => edge.event === event)?.to ?? key;
    met.add(key);
  }
  for (;;) {
    const edge = edgesAt(graph, key).find((one) => isNew(one) && !met.has(one.to));
    if (edge === undefined) return steps;
    steps.push(stepOf(graph, edge));
    met.add(edge.to);
    key = edge.to;
  }
}

/** The shortest path to each state that can be reached, nearest first. */
export function shortestPaths(graph: Graph): ReadonlyMap<string, Path> {
  const paths = new Map<string, Path>([[graph.start, []]]);
  // A map's iterator also visits what is added on the way.
  for (const [key, path] of paths) {
    for (const edge of edgesAt(graph, key)) {
      if (!paths.has(edge.to)) paths.set(edge.to, [...path, stepOf(graph, edge)]);
    }
  }
  return paths;
}

/** Every path from the start to a stop that meets no state twice. There may be very many: they come one by one. */
export function* simplePaths(graph: Graph): Generator<Path> {
  const visited = new Set<string>([graph.start]);
  const steps: Step[] = [];
  yield* from(graph.start);

  function* from(key: string): Generator<Path> {
    const edges = edgesAt(graph, key);
    if (edges.length === 0) yield [...steps];
    for (const edge of edges) {
      if (visited.has(edge.to)) continue;
      visited.add(edge.to);
      steps.push(stepOf(graph, edge));
      yield* from(edge.to);
      steps.pop();
      visited.delete(edge.to);
    }
  }
}

/** The path, and the shortest way from its end to a stop: only a run that has ended can be looked at whole. */
export function completed(graph: Graph, path: Path): Path {
  const start = keyAt(graph, path);
  const ways = new Map<string, Path>([[start, path]]);
  // A map's iterator also visits what is added on the way.
  for (const [key, way] of ways) {
    const edges = edgesAt(graph, key);
    if (edges.length === 0) return way;
    for (const edge of edges) if (!ways.has(edge.to)) ways.set(edge.to, [...way, stepOf(graph, edge)]);
  }
  throw new Error('From here no way leads to a stop.');
}

/** One path for each two edges that follow each other. */
export function* pairPaths(graph: Graph): Generator<Path> {
  for (const path of edgePaths(graph)) {
    const last = path.at(-1);
    if (last === undefined) continue;
    for (const edge of edgesAt(graph, keyAt(graph, path))) yield [...path, stepOf(graph, edge)];
  }
}

/**
 * A walk that takes any fact that can happen, until it stops or is `maxSteps` long. It needs no graph.
 * @param endings how often, of all steps, it may take one that ends the run although others can be taken, 0 to 1. Without
 *   it every fact is as likely as the others, and hardly a walk is longer than three turns.
 */
export function randomPath(
  configuration: Configuration,
  random: () => number,
  maxSteps: number,
  endings = 1,
): Path {
  const path: Step[] = [];
  let [snapshot]: [Snapshot, ...unknown[]] = initialTransition(agentLoop, inputOf(configuration));
  while (path.length < maxSteps) {
    const isToGoOn = endings < 1 && random() >= endings;
    const step = randomStep(snapshot, possibleFacts(snapshot, configuration), random, isToGoOn);
    if (step === undefined) break;
    ({ snapshot } = step);
    path.push(step);
  }
  return path;
}

/** Undefined: there are no facts. */
function randomStep(
  before: Snapshot,
  facts: readonly LoopEvent[],
  random: () => number,
  isToGoOn: boolean,
): Step | undefined {
  const event = facts[Math.floor(random() * facts.length)];
  if (event === undefined) return undefined;
  const [snapshot] = transition(agentLoop, before, event);
  const step = { event, snapshot };
  if (!isToGoOn || !ends(step, before)) return step;
  const others = facts.filter((fact) => fact !== event);
  return randomStep(before, others, random, isToGoOn) ?? step;
}

/** An answer that no words of the user follow ends the run, also where calls have to be closed first. */
const ends = ({ event, snapshot }: Step, before: Snapshot): boolean =>
  snapshot.status === 'done' ||
  snapshot.context.cause !== null ||
  (event.type === 'model.answered' && !before.context.hasUnread);

const edgesAt = (graph: Graph, key: string): readonly Edge[] => graph.nodes.get(key)?.edges ?? [];

function stepOf(graph: Graph, { event, to }: Edge): Step {
  const node = graph.nodes.get(to);
  if (node === undefined) throw new Error(`An edge leads to a state that the graph has not: ${to}`);
  return { event, snapshot: node.snapshot };
}

function keyAt(graph: Graph, path: Path): string {
  return path.reduce((key, step) => {
    const edge = edgesAt(graph, key).find(({ event }) => event === step.event);
    return edge?.to ?? key;
  }, graph.start);
}
