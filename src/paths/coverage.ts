/** Which transitions and which answers of guards a set of graphs has taken, out of all that the machine defines. */
import { createActor, type AnyActorLogic, type InspectionEvent } from 'xstate';
import { agentLoop, type LoopEvent } from '../../machines/index.ts';
import { transitionOf, transitionsOf, type Transition } from '../chart/transitions.ts';
import { effectOf } from '../effects/effect-of.ts';
import { inputOf } from './configuration.ts';
import type { Graph } from './graph.ts';
import { refusedAt } from './refused.ts';
import { edgePaths } from './walk.ts';

export interface Coverage {
  readonly transitions: number;
  readonly guards: number;
  /** Transitions that no edge took, as they stand in the chart. */
  readonly missedTransitions: readonly string[];
  /** Answers that a guard never gave, such as `isStuck: true`. */
  readonly missedAnswers: readonly string[];
}

export function coverageOf(graphs: readonly Graph[]): Coverage {
  const taken = new Set<string>();
  const answers = new Set<string>();
  const machine = listening((guard, answer) => answers.add(`${guard}: ${String(answer)}`));
  for (const graph of graphs) takeAll(graph, machine, (transition) => taken.add(nameOf(transition)));
  // What is forbidden is never taken: it is refused, which `refusedAt` sees to.
  const all = transitionsOf(agentLoop).filter(({ target, actions }) => target !== null || actions.length > 0);
  const guards = Object.keys(agentLoop.implementations.guards);
  return {
    transitions: all.length,
    guards: guards.length,
    missedTransitions: all.map(nameOf).filter((name) => !taken.has(name)),
    missedAnswers: guards
      .flatMap((guard) => [`${guard}: true`, `${guard}: false`])
      .filter((answer) => !answers.has(answer)),
  };
}

const nameOf = ({ state, event, branch }: Transition): string => `${state} on ${event}, branch ${branch}`;

type Guard = (args: unknown, params: unknown) => boolean;

/** The machine with guards that tell what they answered. */
function listening(tell: (guard: string, answer: boolean) => void): typeof agentLoop {
  // The guards of a machine are typed by its names; here any of them is as good as another.
  const guards = agentLoop.implementations.guards as unknown as Readonly<Record<string, Guard>>;
  const told = Object.entries(guards).map(([name, guard]): [string, Guard] => [
    name,
    (args, params) => {
      const answer = guard(args, params);
      tell(name, answer);
      return answer;
    },
  ]);
  return agentLoop.provide({ guards: Object.fromEntries(told) });
}

function takeAll(graph: Graph, machine: typeof agentLoop, take: (transition: Transition) => void): void {
  for (const path of [[], ...edgePaths(graph)]) {
    const actor = createActor<AnyActorLogic>(machine, {
      input: inputOf(graph.configuration),
      inspect: (event: InspectionEvent) => {
        if (event.type !== '@xstate.microstep') return;
        // oxlint-disable-next-line no-underscore-dangle -- xstate's name for what it took
        for (const definition of event._transitions) take(transitionOf(definition));
      },
    });
    actor.start();
    for (const { event } of path) actor.send(event);
    const snapshot = path.at(-1)?.snapshot;
    if (snapshot?.status === 'active') {
      for (const fact of refusedAt(effectOf(snapshot), snapshot.context))
        actor.send(fact satisfies LoopEvent);
    }
    actor.stop();
  }
}
