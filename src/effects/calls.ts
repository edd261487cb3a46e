/** Open calls of the machine's context, with what the facts know of them. */
import type { Amount, OpenCall } from '../../machines/index.ts';
import type { Fact, FactOf, ToolCall, ToolOutcome } from '../ports.ts';
import type { RunView } from './effect.ts';

export interface CallState {
  readonly call: ToolCall;
  readonly state: OpenCall;
  readonly decided: FactOf<'approval.decided'> | null;
}

/** Calls that have no result yet, in the order in which the model made them. */
export function openCallsOf({ facts, context }: RunView): readonly CallState[] {
  const made = new Map(facts.flatMap(callsIn).map((call) => [call.id, call]));
  const decisions = new Map(
    facts.filter((fact) => fact.type === 'approval.decided').map((fact) => [fact.callId, fact]),
  );
  return context.calls.flatMap((state) => {
    const call = made.get(state.id);
    const isOpen = state.status === 'open' || state.status === 'started';
    return call && isOpen ? [{ call, state, decided: decisions.get(state.id) ?? null }] : [];
  });
}

export const callsIn = (fact: Fact): readonly ToolCall[] => ('calls' in fact ? fact.calls : []);

export interface Finished {
  readonly callId: string;
  readonly outcome: ToolOutcome;
  readonly durationMs: number;
}

/** The result of a call. Its bound is known when it is recorded. */
export const resultOf = ({ outcome, ...finished }: Finished): FactOf<'tool.finished'> => ({
  type: 'tool.finished',
  ...finished,
  // A person's reason or a host's tool may hold half a character, which the API refuses.
  outcome: { ...outcome, content: outcome.content.toWellFormed() },
  promptCost: { next: NOTHING, summary: NOTHING },
});

/** Stands where an amount is filled in when the fact is recorded. */
export const NOTHING: Amount = { nanoUsd: 0, tokens: 0 };
