/**
 * Where a process may die, a state is more than what the machine tells apart: a call that the dead process had begun can
 * end in fewer ways, and rules that it goes on under hold for later calls as well.
 */
import type { Effect, LoopEvent, OpenCall } from '../../machines/index.ts';
import { effectOf } from '../effects/effect-of.ts';
import { mayRun, onlyReads } from './calls.ts';
import type { Edge, Graph, Snapshot } from './graph.ts';

interface Aftermath {
  /** Ids of calls that a dead process had begun. */
  readonly orphans: readonly string[];
  /** Names of tools that the rules have forbidden. */
  readonly forbidden: readonly string[];
}

const NONE: Aftermath = { orphans: [], forbidden: [] };

/** The graph with what deaths leave behind as part of each state, and without facts that can then no longer be. */
export function withDeaths(graph: Graph): Graph {
  const nodes = new Map<string, { readonly snapshot: Snapshot; readonly edges: Edge[] }>();
  const start = { key: graph.start, aftermath: NONE };
  // An array's iterator also visits what is added on the way.
  const found = [start];
  for (const { key, aftermath } of found) {
    const node = graph.nodes.get(key);
    const name = nameOf(key, aftermath);
    if (node === undefined || nodes.has(name)) continue;
    const edges = node.edges.flatMap(({ event, to }): readonly Edge[] => {
      const next = graph.nodes.get(to);
      const fact = factAfter(event, aftermath, node.snapshot);
      if (next === undefined || fact === null) return [];
      const after = aftermathOf(fact, aftermath, next.snapshot);
      found.push({ key: to, aftermath: after });
      return [{ event: fact, to: nameOf(to, after) }];
    });
    nodes.set(name, { snapshot: node.snapshot, edges });
  }
  return { ...graph, start: nameOf(graph.start, NONE), nodes };
}

const nameOf = (key: string, { orphans, forbidden }: Aftermath): string =>
  [key, ...orphans, ...forbidden].join(' ');

function aftermathOf(fact: LoopEvent, { orphans, forbidden }: Aftermath, next: Snapshot): Aftermath {
  const { calls } = next.context;
  // What runs again is under way like any other call.
  const begun = calls
    .filter(
      (call) => call.status === 'started' && !(next.status === 'active' && runsAgain(call, effectOf(next))),
    )
    .map(({ id }) => id);
  if (fact.type !== 'run.resumed') return { orphans: orphans.filter((id) => begun.includes(id)), forbidden };
  const denied = fact.judgements.flatMap(({ callId, verdict }) =>
    calls.filter(({ id }) => verdict === 'deny' && id === callId).map(({ name }) => name),
  );
  return { orphans: begun, forbidden: [...new Set([...forbidden, ...denied])].toSorted() };
}

/** The fact as it then happens, an object of its own; null where it cannot. */
function factAfter(fact: LoopEvent, { orphans, forbidden }: Aftermath, snapshot: Snapshot): LoopEvent | null {
  if ('calls' in fact && fact.calls.some(({ name }) => forbidden.includes(name))) return null;
  if (fact.type !== 'tool.finished' || !orphans.includes(fact.callId)) return { ...fact };
  const call = snapshot.context.calls.find(({ id }) => id === fact.callId);
  if (call === undefined || runsAgain(call, effectOf(snapshot))) return { ...fact };
  // Failed and interrupted are one to the machine.
  const { kind } = fact.outcome;
  return kind === 'failed' || kind === 'interrupted' ? { ...fact, outcome: { kind: 'interrupted' } } : null;
}

/** What only reads may be done again. */
const runsAgain = (call: OpenCall, effect: Effect): boolean =>
  effect === 'executeTools' && mayRun(call) && onlyReads(call);
