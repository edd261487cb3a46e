/** How a run goes on: where it rests, or, once it has stopped, from the start with what it brings along. */
import { initialTransition, transition, type SnapshotFrom } from 'xstate';
import { isStuck } from './agent-loop.guards.ts';
import { agentLoop } from './agent-loop.machine.ts';
import type { LoopContext, LoopInput } from './agent-loop.context.ts';
import type { RunResumed } from './agent-loop.types.ts';

type Snapshot = SnapshotFrom<typeof agentLoop>;

/** A stopped machine takes no more facts: the run goes on in a new one. */
export function resumed(snapshot: Snapshot, fact: RunResumed): Snapshot {
  const [next] =
    snapshot.status === 'active'
      ? transition(agentLoop, snapshot, fact)
      : initialTransition(agentLoop, inputAfter(snapshot.context, fact));
  return next;
}

/** What a run that has stopped starts with when it is resumed. */
export function inputAfter(context: LoopContext, { limits, onLimit, ...fact }: RunResumed): LoopInput {
  // Whoever resumes a stuck run, or has something to say, wants it to try again.
  const isTriedAgain = fact.hasWords || isStuck({ ...context, limits });
  return {
    limits,
    onLimit,
    nextCost: sum(context.nextCost, fact.promptCost.next),
    summaryCost: sum(context.summaryCost, fact.promptCost.summary),
    carried: {
      turn: context.turn,
      spent: sum(context.spent, fact.cost),
      failing: isTriedAgain ? {} : context.failing,
      // Calls that were closed before the stop have results that the model has not seen.
      followsTools: context.followsTools || context.calls.length > 0,
      isPaused: context.continuations > 0,
      hasUnread: context.hasUnread || fact.hasWords,
    },
  };
}

const sum = (a: LoopContext['spent'], b: LoopContext['spent']): LoopContext['spent'] => ({
  nanoUsd: a.nanoUsd + b.nanoUsd,
  tokens: a.tokens + b.tokens,
});
