import { hashOf } from '../facts/hash.ts';
import type { Decision, Fact, FactOf, Ports, Preview, ToolCall } from '../ports.ts';
import { asDecision, reasonOf } from './broken-ports.ts';
import { cutHead } from '../text/cut.ts';
import { openCallsOf } from './calls.ts';
import { judgeCall, type JudgePorts } from './judge-call.ts';
import { NO_BILL, type EffectEnd, type PerformEffect } from './effect.ts';

/** Asks for one call after the other, in their order, until the whole batch is decided. */
export const askApproval: PerformEffect = async function* (
  run,
  ports,
  signal,
): AsyncGenerator<Fact, EffectEnd, void> {
  for (const { call, decided } of openCallsOf(run)) {
    if (call.verdict !== 'ask' || decided !== null) continue;
    const fact = await decide(call, ports, signal);
    if (fact === 'wait') return { end: 'waiting' };
    yield fact;
    if (fact.type === 'run.aborted') return undefined;
  }
  return undefined;
};

/** An approver that fails, or whose answer cannot be read, has not approved. */
async function decide(
  call: ToolCall,
  ports: Ports,
  signal: AbortSignal,
): Promise<FactOf<'approval.decided' | 'run.aborted'> | 'wait'> {
  try {
    const shown = { ...call, input: structuredClone(call.input) };
    const answer = await ports.approver.decide(shown, signal, previewOf(call, ports, signal));
    return await decisionFact(call, asDecision(answer), ports, signal);
  } catch (error) {
    // It was told to end: that is no answer.
    if (signal.aborted) return 'wait';
    return denied(call, 'nobody', `The approval failed: ${reasonOf(error)}`);
  }
}

/** A toolbox that cannot tell does not keep anybody from deciding. */
const previewOf =
  ({ id, name }: ToolCall, { toolbox }: Ports, signal: AbortSignal): Preview =>
  async (input) => {
    try {
      return (await toolbox.preview?.({ id, name, input: structuredClone(input) }, signal)) ?? null;
    } catch {
      return null;
    }
  };

/** What a decision is in the journal. The machine's only way to a call that runs. */
export async function decisionFact(
  call: ToolCall,
  decision: Decision,
  ports: JudgePorts,
  signal: AbortSignal,
): Promise<FactOf<'approval.decided' | 'run.aborted'> | 'wait'> {
  switch (decision.decision) {
    case 'wait':
      return 'wait';
    case 'quit':
      return { type: 'run.aborted', cause: 'user', by: decision.by, ...NO_BILL };
    case 'deny':
      // Also what a program gives as a reason: half a character would be refused wherever it goes.
      return denied(call, decision.by, decision.reason?.toWellFormed() ?? null);
    case 'approve':
      return decision.edited === undefined
        ? approved(call, decision.by, decision.rule)
        : judgeEdited(call, decision, structuredClone(decision.edited), ports, signal);
  }
}

/** What a person wrote is judged like what the model wrote: deny wins, and the schema holds. */
async function judgeEdited(
  call: ToolCall,
  { by, rule }: Extract<Decision, { decision: 'approve' }>,
  input: unknown,
  ports: JudgePorts,
  signal: AbortSignal,
): Promise<FactOf<'approval.decided'>> {
  const inputHash = hashOf(input);
  if (inputHash === call.inputHash) return approved(call, by, rule);
  const edited = { input, inputHash };
  const { refusal } = await judgeCall({ ...call, input }, undefined, ports, signal);
  return refusal === null
    ? { ...approved(call, by, rule), edited }
    : { ...denied(call, by, `The edited input was refused. ${refusal}`), edited };
}

const approved = (
  { id: callId, inputHash }: ToolCall,
  by: string,
  rule?: string,
): FactOf<'approval.decided'> => ({
  type: 'approval.decided',
  callId,
  inputHash,
  by,
  decision: 'approve',
  reason: null,
  edited: null,
  ...(typeof rule === 'string' && { rule: rule.toWellFormed() }),
});

/** What a person gives as a reason, in characters: it goes to the model with every later request. */
const MAX_REASON = 4_000;

const denied = (call: ToolCall, by: string, reason: string | null): FactOf<'approval.decided'> => ({
  ...approved(call, by),
  decision: 'deny',
  reason: reason === null ? null : cutHead(reason, MAX_REASON),
});
