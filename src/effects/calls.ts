/** Open calls of the machine's context, with what the facts know of them. */
import type { OpenCall } from '../../machines/index.ts';
import { promptBound, promptCost, textBound } from '../budget/bounds.ts';
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

/** Makes the facts of a batch; each knows what its result adds to the prompt, behind the results before it. */
export function resultWriter({ header, facts }: RunView): (finished: Finished) => FactOf<'tool.finished'> {
  let prompt = promptBound(header, facts);
  return ({ outcome: ended, ...finished }) => {
    // A person's reason or a host's tool may hold half a character, which the API refuses.
    const outcome = { ...ended, content: ended.content.toWellFormed() };
    const tokens = textBound(outcome.content);
    const cost = promptCost(prompt, tokens, header.price);
    prompt += tokens;
    return { type: 'tool.finished', ...finished, outcome, promptCost: cost };
  };
}
