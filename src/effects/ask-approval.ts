import { hashOf } from '../facts/hash.ts';
import type { Decision, Fact, FactOf, Ports, ToolCall } from '../ports.ts';
import { openCallsOf } from './calls.ts';
import type { EffectEnd, PerformEffect } from './effect.ts';

/** Asks for one call after the other, in their order, until the whole batch is decided. */
export const askApproval: PerformEffect = async function* (
  run,
  ports,
  signal,
): AsyncGenerator<Fact, EffectEnd, void> {
  for (const { call, decided } of openCallsOf(run)) {
    if (call.verdict !== 'ask' || decided !== null) continue;
    const decision = await decide(call, ports, signal);
    if (decision.decision === 'wait') return { end: 'waiting' };
    if (decision.decision === 'quit') {
      yield {
        type: 'run.aborted',
        cause: 'user',
        by: decision.by,
        cost: { nanoUsd: 0, tokens: 0 },
        usage: null,
        billing: 'none',
      };
      return undefined;
    }
    yield decisionFact(call, decision, ports);
  }
  return undefined;
};

/** An approver that fails has not approved. */
async function decide(call: ToolCall, { approver }: Ports, signal: AbortSignal): Promise<Decision> {
  try {
    return await approver.decide(call, signal);
  } catch (error) {
    return { decision: 'deny', by: 'nobody', reason: `The approval failed: ${String(error)}`.toWellFormed() };
  }
}

function decisionFact(
  call: ToolCall,
  decision: Extract<Decision, { decision: 'approve' | 'deny' }>,
  { toolbox }: Ports,
): FactOf<'approval.decided'> {
  const fact = {
    type: 'approval.decided',
    callId: call.id,
    inputHash: call.inputHash,
    by: decision.by,
  } as const;
  if (decision.decision === 'deny') {
    // Also what a program gives as a reason: half a character would be refused wherever it goes.
    return { ...fact, decision: 'deny', reason: decision.reason?.toWellFormed() ?? null, edited: null };
  }
  const inputHash = hashOf(decision.edited);
  if (decision.edited === undefined || inputHash === call.inputHash) {
    return { ...fact, decision: 'approve', reason: null, edited: null };
  }
  // What a person wrote is judged like what the model wrote: deny wins, and the schema holds.
  const edited = { input: decision.edited, inputHash };
  const { refusal } = toolbox.judge(call.name, decision.edited);
  return refusal === null
    ? { ...fact, decision: 'approve', reason: null, edited }
    : { ...fact, decision: 'deny', reason: `The edited input was refused. ${refusal}`, edited };
}
