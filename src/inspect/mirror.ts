/** A second machine that only repeats what has happened, so that inspectors have an actor to look at. It drives nothing. */
import { createActor, type ActorOptions, type AnyActorLogic } from 'xstate';
import { agentLoop, inputAfter, type LoopEvent, type LoopInput } from '../../machines/index.ts';
import type { Fact } from '../ports.ts';

/** As xstate's `createActor` takes it: a function or an observer of inspection events. */
export type Inspect = NonNullable<ActorOptions<AnyActorLogic>['inspect']>;

export interface Mirror {
  /** Shows the fact. It never throws. */
  take(fact: Fact): void;
}

/** @param input what the run starts from */
export function mirrorOf(input: LoopInput, inspect: Inspect): Mirror {
  const startFrom = (given: LoopInput) =>
    quietly(() => createActor(agentLoop, { input: given, inspect }).start());
  const { limits, onLimit, nextCost, summaryCost } = input;
  let actor = startFrom({ limits, onLimit, nextCost, summaryCost });
  return {
    take: (fact) => {
      const snapshot = actor?.getSnapshot();
      // A stopped machine takes no more facts: the run goes on in a new one.
      if (fact.type === 'run.resumed' && snapshot?.status === 'done') {
        actor = startFrom(inputAfter(snapshot.context, fact));
      } else {
        quietly(() => actor?.send(headOf(fact)));
      }
    },
  };
}

/** An inspector that fails is not the run's business. */
function quietly<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    // What it looks at goes on without it.
    return null;
  }
}

/** What the machine reads of a fact. Texts, inputs and outputs stay at home. */
function headOf(fact: Fact): LoopEvent {
  switch (fact.type) {
    case 'model.answered':
    case 'model.called_tools':
      return { type: fact.type, ...amountsOf(fact), calls: fact.calls.map(callHead) };
    case 'model.truncated':
      return {
        type: fact.type,
        ...amountsOf(fact),
        calls: fact.calls.map(callHead),
        canGrow: fact.canGrow,
      };
    case 'model.paused':
    case 'model.refused':
    case 'model.overflowed':
      return { type: fact.type, ...amountsOf(fact) };
    case 'model.failed':
      return { type: fact.type, ...amountsOf(fact), isRetryable: fact.isRetryable, reason: fact.reason };
    case 'approval.decided': {
      const { type, callId, inputHash, decision } = fact;
      return { type, callId, inputHash, decision };
    }
    case 'tool.finished': {
      const { type, callId, outcome, promptCost } = fact;
      return { type, callId, outcome: { kind: outcome.kind }, promptCost };
    }
    case 'user.interjected':
      return { type: fact.type, promptCost: fact.promptCost };
    case 'run.aborted':
      return { type: fact.type, cause: fact.cause, cost: fact.cost };
    case 'run.resumed': {
      const { type, limits, onLimit, hasWords, promptCost, cost } = fact;
      const judgements = fact.judgements.map(({ callId, verdict, isDecisionKept }) => ({
        callId,
        verdict,
        isDecisionKept,
      }));
      return { type, limits, onLimit, judgements, hasWords, promptCost, cost };
    }
    case 'tool.started':
      return { type: fact.type, callId: fact.callId };
    case 'limit.raised':
      return { type: fact.type, turns: fact.turns };
    case 'retry.due':
    case 'limit.kept':
      return { type: fact.type };
    default:
      return fact satisfies never;
  }
}

type Asked = Extract<Fact, { readonly request: unknown }>;

const amountsOf = ({ request, cost, nextCost, summaryCost }: Asked) => ({
  request,
  cost,
  nextCost,
  summaryCost,
});

const callHead = ({
  id,
  name,
  fingerprint,
  inputHash,
  verdict,
}: Extract<Fact, { readonly calls: unknown }>['calls'][number]) => ({
  id,
  name,
  fingerprint,
  inputHash,
  verdict,
});
