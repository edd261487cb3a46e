/** Walks the graphs of configurations, holds every step of every edge against the contract, and counts. */
import type { StopReason } from '../../machines/index.ts';
import { effectOf } from '../effects/effect-of.ts';
import { inputOf, type Configuration } from './configuration.ts';
import { breaches, type Place } from './contract.ts';
import { coverageOf, type Coverage } from './coverage.ts';
import { describePath } from './describe.ts';
import { graphOf, type Graph } from './graph.ts';
import { enter, openLedger } from './ledger.ts';
import { refusedAt } from './refused.ts';
import { edgePaths, shortestPaths, simplePaths, type Path } from './walk.ts';

export interface Proof {
  readonly configurations: readonly {
    readonly name: string;
    readonly states: number;
    readonly edges: number;
    /** Simple paths to a stop; null: more than were counted. */
    readonly simplePaths: number | null;
  }[];
  /** Facts that the machine was shown and had to refuse. */
  readonly refusals: number;
  readonly coverage: Coverage;
  /** The shortest path to each stop reason that was reached. */
  readonly witnesses: Readonly<Partial<Record<StopReason, Path>>>;
  /** Where the machine breaks the contract: the path, and the rule. Empty, if it does not. */
  readonly breaches: readonly string[];
}

const MAX_COUNTED = 20_000;

/** Walks the machine that runs. Takes some seconds: it plays nothing. */
export function prove(configurations: readonly Configuration[]): Proof {
  const graphs = configurations.map(graphOf);
  const found = graphs.map(breachesIn);
  return {
    configurations: graphs.map((graph) => ({
      name: graph.configuration.name,
      states: graph.nodes.size,
      edges: [...graph.nodes.values()].reduce((sum, { edges }) => sum + edges.length, 0),
      simplePaths: countSimplePaths(graph),
    })),
    refusals: found.reduce((sum, { refusals }) => sum + refusals, 0),
    coverage: coverageOf(graphs),
    witnesses: witnessesIn(graphs),
    breaches: found.flatMap(({ broken }) => broken),
  };
}

function countSimplePaths(graph: Graph): number | null {
  let count = 0;
  for (const _ of simplePaths(graph)) {
    count += 1;
    if (count > MAX_COUNTED) return null;
  }
  return count;
}

function breachesIn(graph: Graph): { readonly broken: readonly string[]; readonly refusals: number } {
  const start = graph.nodes.get(graph.start);
  const ledger = openLedger(inputOf(graph.configuration));
  const broken = start === undefined ? [] : [...breaches(ledger, start.snapshot)];
  let refusals = 0;
  for (const path of edgePaths(graph)) {
    const sentences = breachesOn(path, graph.configuration);
    if (sentences.length > 0) broken.push(`${describePath(path)}: ${sentences.join(' ')}`);
  }
  for (const { snapshot } of graph.nodes.values()) {
    if (snapshot.status !== 'active') continue;
    const facts = refusedAt(effectOf(snapshot), snapshot.context);
    refusals += facts.length;
    const taken = facts.filter((fact) => snapshot.can(fact));
    broken.push(...taken.map(({ type }) => `${type} is taken at ${JSON.stringify(snapshot.value)}.`));
  }
  return { broken, refusals };
}

/** What the contract says of the states along a path. */
export function breachesOn(path: Path, configuration: Configuration): readonly string[] {
  let ledger = openLedger(inputOf(configuration));
  return path.flatMap(({ event, snapshot }) => {
    ledger = enter(ledger, event);
    return breaches(ledger, snapshot);
  });
}

function witnessesIn(graphs: readonly Graph[]): Proof['witnesses'] {
  const witnesses = new Map<Place, Path>();
  for (const graph of graphs) {
    if (graph.configuration.carried) continue;
    for (const [key, path] of shortestPaths(graph)) {
      const reason = graph.nodes.get(key)?.snapshot.output?.reason;
      if (reason === undefined) continue;
      const known = witnesses.get(reason);
      if (known === undefined || path.length < known.length) witnesses.set(reason, path);
    }
  }
  return Object.fromEntries(witnesses);
}

/** The configuration with another turn limit; those that are about one turn stay as they are. */
export const withTurns = (configuration: Configuration, maxTurns: number): Configuration =>
  configuration.maxTurns === 1 || configuration.carried ? configuration : { ...configuration, maxTurns };
