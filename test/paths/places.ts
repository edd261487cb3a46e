/** Where a walk of a graph asks the chart what comes next: a chart that differs elsewhere behaves alike in it. */
import { getInitialMicrosteps, getMicrosteps } from 'xstate';
import { agentLoop } from '../../machines/index.ts';
import { effectOf } from '../../src/effects/effect-of.ts';
import { inputOf } from '../../src/paths/configuration.ts';
import type { Graph, Snapshot } from '../../src/paths/graph.ts';
import { refusedAt } from '../../src/paths/refused.ts';

/** @returns places as the mutants name them: `agentLoop.running.callingModel on model.failed`, `… always` */
export function placesIn({ configuration, nodes }: Graph): ReadonlySet<string> {
  const places = new Set<string>();
  const visit = (snapshot: Snapshot, how: string): void => {
    for (const state of statesOf(snapshot)) places.add(`${state} ${how}`);
  };
  for (const [snapshot] of getInitialMicrosteps(agentLoop, inputOf(configuration))) visit(snapshot, 'always');
  for (const { snapshot, edges } of nodes.values()) {
    if (snapshot.status !== 'active') continue;
    for (const { type } of refusedAt(effectOf(snapshot), snapshot.context)) visit(snapshot, `on ${type}`);
    for (const { event } of edges) {
      visit(snapshot, `on ${event.type}`);
      for (const [step] of getMicrosteps(agentLoop, snapshot, event)) visit(step, 'always');
    }
  }
  return places;
}

/** The state and all that it is in. */
function statesOf({ value }: Snapshot): readonly string[] {
  const inner = typeof value === 'string' ? [value] : Object.entries(value).flat().map(String);
  return ['agentLoop', ...inner.map((_, index) => ['agentLoop', ...inner.slice(0, index + 1)].join('.'))];
}
