/** Open calls of the machine's context, with what the facts know of them. */
import type { Amount, OpenCall } from '../../machines/index.ts';
import type { Fact, FactOf, ToolCall, ToolOutcome } from '../ports.ts';
import type { RunView } from './effect.ts';

export interface CallState {
  readonly call: ToolCall;
  readonly state: OpenCall;
  readonly decided: FactOf<'approval.decided'> | null;
}

/** Calls that have no result yet, in the order in which the model made them, as they are judged by now. */
export function openCallsOf({ facts, context }: RunView): readonly CallState[] {
  const made = new Map<string, ToolCall>();
  const decisions = new Map<string, FactOf<'approval.decided'>>();
  for (const fact of facts) {
    for (const call of callsIn(fact)) made.set(call.id, call);
    if (fact.type === 'approval.decided') decisions.set(fact.callId, fact);
    if (fact.type === 'run.resumed') judgeAnew(fact, made, decisions);
  }
  return context.calls.flatMap((state) => {
    const call = made.get(state.id);
    const isOpen = state.status === 'open' || state.status === 'started';
    return call && isOpen ? [{ call, state, decided: decisions.get(state.id) ?? null }] : [];
  });
}

function judgeAnew(
  { judgements }: FactOf<'run.resumed'>,
  made: Map<string, ToolCall>,
  decisions: Map<string, FactOf<'approval.decided'>>,
): void {
  for (const { callId, verdict, refusal, rule = null, isDecisionKept } of judgements) {
    const call = made.get(callId);
    if (call) made.set(callId, { ...call, verdict, refusal, rule });
    if (!isDecisionKept) decisions.delete(callId);
  }
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
