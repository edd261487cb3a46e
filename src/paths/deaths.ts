/**
 * Where a process may die, a state is more than what the machine tells apart: a call that the dead process had begun can
 * end in fewer ways, and rules that it goes on under hold for later calls as well.
 */
import { initialTransition, transition } from 'xstate';
import { serializeSnapshot } from 'xstate/graph';
import { agentLoop, type Effect, type LoopEvent, type OpenCall } from '../../machines/index.ts';
import { effectOf } from '../effects/effect-of.ts';
import { isDistrust, possibleFacts } from './alphabet.ts';
import { mayRun, onlyReads } from './calls.ts';
import { inputOf, type Configuration } from './configuration.ts';
import type { Edge, Graph, Snapshot } from './graph.ts';

interface Aftermath {
  /** Ids of calls that a dead process had begun. */
  readonly orphans: readonly string[];
  /** Names of tools that the rules have forbidden. */
  readonly forbidden: readonly string[];
}

const NONE: Aftermath = { orphans: [], forbidden: [] };

interface Place {
  readonly snapshot: Snapshot;
  readonly aftermath: Aftermath;
}

/** Every state that the configuration reaches, with what deaths leave behind as part of it. */
export function graphWithDeaths(configuration: Configuration): Graph {
  const nodes = new Map<string, { readonly snapshot: Snapshot; readonly edges: readonly Edge[] }>();
  const [snapshot] = initialTransition(agentLoop, inputOf(configuration));
  const start: Place = { snapshot, aftermath: NONE };
  const found = [start];
  // An array's iterator also visits what is added on the way.
  for (const place of found) {
    const name = nameOf(place);
    if (nodes.has(name)) continue;
    const edges = possibleFacts(place.snapshot, configuration).flatMap((event): readonly Edge[] => {
      const fact = factAfter(event, place);
      if (fact === null) return [];
      const [next] = transition(agentLoop, place.snapshot, fact);
      const to: Place = { snapshot: next, aftermath: aftermathOf(fact, place.aftermath, next) };
      found.push(to);
      return [{ event: fact, to: nameOf(to) }];
    });
    nodes.set(name, { snapshot: place.snapshot, edges });
  }
  return { configuration, start: nameOf(start), nodes };
}

const nameOf = ({ snapshot, aftermath: { orphans, forbidden } }: Place): string =>
  [serializeSnapshot(snapshot), ...orphans, ...forbidden].join(' ');

function aftermathOf(fact: LoopEvent, { orphans, forbidden }: Aftermath, next: Snapshot): Aftermath {
  const { calls } = next.context;
  // What runs again is under way like any other call.
  const begun = calls
    .filter(
      (call) => call.status === 'started' && !(next.status === 'active' && runsAgain(call, effectOf(next))),
    )
    .map(({ id }) => id);
  if (fact.type !== 'run.resumed') return { orphans: orphans.filter((id) => begun.includes(id)), forbidden };
  // Distrust forbids calls, and no tool: later ones are judged as before.
  if (isDistrust(fact)) return { orphans: begun, forbidden };
  const denied = fact.judgements.flatMap(({ callId, verdict }) =>
    calls.filter(({ id }) => verdict === 'deny' && id === callId).map(({ name }) => name),
  );
  return { orphans: begun, forbidden: [...new Set([...forbidden, ...denied])].toSorted() };
}

/** The fact as it then happens, an object of its own; null where it cannot. */
function factAfter(
  fact: LoopEvent,
  { snapshot, aftermath: { orphans, forbidden } }: Place,
): LoopEvent | null {
  if ('calls' in fact)
    return {
      ...fact,
      calls: fact.calls.map((call) => (forbidden.includes(call.name) ? { ...call, verdict: 'deny' } : call)),
    };
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
