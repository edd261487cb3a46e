/** Whether a wrong chart is noticed, by the contract alone: no snapshots, no counts, no comparison with our chart. */
import { isDeepStrictEqual } from 'node:util';
import {
  getMicrosteps,
  initialTransition,
  transition,
  type AnyStateMachine,
  type SnapshotFrom,
} from 'xstate';
import type { agentLoop, LoopEvent } from '../../machines/index.ts';
import { effectOf } from '../../src/effects/effect-of.ts';
import { inputOf } from '../../src/paths/configuration.ts';
import { breaches, stays } from '../../src/paths/contract.ts';
import type { Graph } from '../../src/paths/graph.ts';
import { enter, openLedger, type Ledger } from '../../src/paths/ledger.ts';
import { refusedAt } from '../../src/paths/refused.ts';

type Snapshot = SnapshotFrom<typeof agentLoop>;

interface Visit {
  readonly key: string;
  readonly ledger: Ledger;
  readonly snapshot: Snapshot;
}

/** Plays every edge of the graphs on the machine. @returns what was noticed first; null: nothing */
export function whatKills(machine: AnyStateMachine, graphs: readonly Graph[]): string | null {
  for (const graph of graphs) {
    const noticed = noticedIn(machine, graph);
    if (noticed !== null) return noticed;
  }
  return null;
}

function noticedIn(machine: AnyStateMachine, graph: Graph): string | null {
  try {
    const input = inputOf(graph.configuration);
    const start = initialTransition(machine, input)[0] as Snapshot;
    const visits: Visit[] = [{ key: graph.start, ledger: openLedger(input), snapshot: start }];
    const seen = new Set([graph.start]);
    const [first] = visits;
    const atStart = first === undefined ? null : noticedAt(first);
    if (atStart !== null) return atStart;
    for (const visit of visits) {
      for (const { event, to } of graph.nodes.get(visit.key)?.edges ?? []) {
        if (!visit.snapshot.can(event)) return `${event.type} is refused.`;
        const steps = getMicrosteps(machine, visit.snapshot, event).map(([step]) => step as Snapshot);
        const snapshot = steps.at(-1) ?? visit.snapshot;
        const next = { key: to, ledger: enter(visit.ledger, event), snapshot };
        const noticed = noticedAt(next);
        if (noticed !== null) return noticed;
        const hasLeft = steps.some((step) => !step.matches(visit.snapshot.value));
        if (hasLeft === stays(visit.ledger, event, next.ledger)) {
          return `${event.type} ${hasLeft ? 'leaves' : 'does not leave'} its state.`;
        }
        if (!seen.has(to)) visits.push(next);
        seen.add(to);
      }
    }
    return null;
  } catch (error) {
    // An endless loop of transient states, or a fact that an update cannot take.
    return `It throws: ${String(error)}`;
  }
}

function noticedAt({ ledger, snapshot }: Visit): string | null {
  const [breach] = breaches(ledger, snapshot);
  if (breach !== undefined) return breach;
  if (snapshot.status !== 'active') return null;
  const taken = refusedAt(effectOf(snapshot), snapshot.context).find((fact: LoopEvent) => snapshot.can(fact));
  return taken === undefined ? null : `${taken.type} is taken at ${JSON.stringify(snapshot.value)}.`;
}

/** Whether the machine rests where our chart rests, with the same context, behind every edge of the graphs. */
export const restsAlike = (machine: AnyStateMachine, graphs: readonly Graph[]): boolean =>
  graphs.every((graph) => {
    const visits = [
      { key: graph.start, snapshot: initialTransition(machine, inputOf(graph.configuration))[0] as Snapshot },
    ];
    const seen = new Set([graph.start]);
    for (const { key, snapshot } of visits) {
      const node = graph.nodes.get(key);
      if (node === undefined || !isSame(snapshot, node.snapshot)) return false;
      for (const { event, to } of node.edges) {
        const next = transition(machine, snapshot, event)[0] as Snapshot;
        const expected = graph.nodes.get(to)?.snapshot;
        if (expected === undefined || !isSame(next, expected)) return false;
        if (!seen.has(to)) visits.push({ key: to, snapshot: next });
        seen.add(to);
      }
    }
    return true;
  });

const isSame = (a: Snapshot, b: Snapshot): boolean =>
  isDeepStrictEqual([a.value, a.context, a.output], [b.value, b.context, b.output]);
