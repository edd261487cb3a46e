/** Notes which transitions of the machine were taken, and how its guards answered. */
import { createActor, type InspectionEvent } from 'xstate';
import {
  agentLoop,
  guards,
  inputAfter,
  type LoopContext,
  type LoopEvent,
  type LoopInput,
} from '../../machines/index.ts';
import { transitionOf, transitionsOf, type Transition } from '../../src/chart/transitions.ts';
import { stateOf } from './support.ts';

const taken = new Set<string>();
const answers = new Set<string>();

const keyOf = ({ state, event, branch }: Transition): string => `${state} ${event} ${branch}`;

interface Asked {
  readonly context: LoopContext;
  readonly event: LoopEvent;
}

const noting = ([name, guard]: [string, (context: LoopContext, event: LoopEvent) => boolean]) => [
  name,
  ({ context, event }: Asked): boolean => {
    const answer = guard(context, event);
    answers.add(`${name}: ${answer}`);
    return answer;
  },
];

const recorded = agentLoop.provide({ guards: Object.fromEntries(Object.entries(guards).map(noting)) });

/** Plays the facts on a live actor. @returns the states, the first one included */
export function record(input: LoopInput, facts: readonly LoopEvent[]): readonly string[] {
  let actor = createActor(recorded, { input, inspect: note }).start();
  const states = [stateOf(actor.getSnapshot())];
  for (const fact of facts) {
    const { status, context } = actor.getSnapshot();
    if (status === 'active') actor.send(fact);
    else if (fact.type === 'run.resumed')
      actor = createActor(recorded, { input: inputAfter(context, fact), inspect: note }).start();
    states.push(stateOf(actor.getSnapshot()));
  }
  return states;
}

/** Transitions that no recorded run has taken. */
export const missedTransitions = (): readonly string[] =>
  transitionsOf(recorded)
    .map(keyOf)
    .filter((key) => !taken.has(key));

/** Answers that no guard of the machine has ever given, such as `isStuck: true`. */
export const missedAnswers = (): readonly string[] =>
  transitionsOf(recorded)
    .flatMap(({ guard }) => (guard === null || guard === 'else' ? [] : [`${guard}: true`, `${guard}: false`]))
    .filter((answer) => !answers.has(answer));

function note(event: InspectionEvent): void {
  if (event.type !== '@xstate.microstep') return;
  // Nothing public says which transitions were taken.
  // oxlint-disable-next-line no-underscore-dangle
  for (const definition of event._transitions) taken.add(keyOf(transitionOf(definition)));
}
