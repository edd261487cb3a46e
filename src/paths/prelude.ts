/** What comes before the runs of a configuration: for one that goes on, a whole run that leaves behind what is carried. */
import { isDeepStrictEqual } from 'node:util';
import { initialTransition } from 'xstate';
import { agentLoop, guards, resumed, type LoopEvent, type RunResumed } from '../../machines/index.ts';
import { inputOf, promptCost, tokens, type Configuration } from './configuration.ts';
import { graphOf } from './graph.ts';
import { normalState } from './normal-form.ts';
import { shortestPaths, type Path } from './walk.ts';

export interface Prelude {
  /** What the first of the runs begins with. */
  readonly configuration: Configuration;
  /** Up to the resumption. Empty for a run that begins with a task. */
  readonly path: Path;
}

const known = new WeakMap<Configuration, Prelude>();

/**
 * The shortest run that leaves behind what the configuration carries, and the resumption with its limits.
 * @throws {Error} when no run does: then what is carried cannot come about
 */
export function preludeOf(configuration: Configuration): Prelude {
  const prelude = known.get(configuration) ?? findPrelude(configuration);
  known.set(configuration, prelude);
  return prelude;
}

/** Whether the library begins the run: one that has no room for another turn is not gone on with. */
export function canBegin(configuration: Configuration): boolean {
  if (configuration.carried === undefined) return true;
  const [{ context }] = initialTransition(agentLoop, inputOf(configuration));
  return !guards.isOutOfTurns(context) && !guards.isOverBudget(context);
}

/** The host says nothing; the loop asks a model that had the last word to go on. The field is the player's own. */
interface Silent extends RunResumed {
  readonly isSilent: true;
}

export const isSilent = (fact: LoopEvent): fact is Silent => 'isSilent' in fact;

function findPrelude({ carried, from, ...rest }: Configuration): Prelude {
  if (carried === undefined) return { configuration: rest, path: [] };
  const input = inputOf({ ...rest, carried });
  const [start] = initialTransition(agentLoop, input);
  const fact: RunResumed | Silent = {
    type: 'run.resumed',
    limits: input.limits,
    onLimit: input.onLimit,
    judgements: [],
    hasWords: from !== undefined && from.words !== 'none',
    promptCost: promptCost(0),
    cost: tokens(0),
    ...(from?.words === 'loop' && { isSilent: true }),
  };
  // As many turns as were asked, or one that an abort kept from being asked.
  for (const maxTurns of [Math.max(1, carried.turn), carried.turn + 1]) {
    const configuration: Configuration = {
      ...rest,
      maxTurns,
      raises: 0,
      aborts: ['user'],
      hasInterjections: from === undefined && (carried.hasUnread ?? false),
      hasOddResponses: from !== undefined || (carried.isPaused ?? false),
    };
    for (const path of shortestPaths(graphOf(configuration)).values()) {
      const end = path.at(-1)?.snapshot;
      if (end?.output === undefined) continue;
      if (from !== undefined && end.output.reason !== from.reason) continue;
      const snapshot = resumed(end, fact);
      if (isDeepStrictEqual(normalState(snapshot), normalState(start)))
        return { configuration, path: [...path, { event: fact, snapshot }] };
    }
  }
  throw new Error(`No run leaves behind what ${rest.name} carries.`);
}
