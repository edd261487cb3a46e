/** What rules and the host's program say of calls. */
import type { FactOf, Judgement, Ports, ToolCall } from '../ports.ts';
import { judgeSafely, reasonOf } from './broken-ports.ts';
import { openCallsOf, type CallState } from './calls.ts';
import type { RunView } from './effect.ts';

export type JudgePorts = Pick<Ports, 'toolbox' | 'texts' | 'beforeTool'>;

/** By the rules, then by the host's program. */
export const judgeCall = (
  call: Pick<ToolCall, 'id' | 'name' | 'input'>,
  malformed: string | undefined,
  ports: JudgePorts,
  signal: AbortSignal,
): Promise<Judgement> =>
  review(call, judgeSafely(ports.toolbox, ports.texts, call.name, call.input, malformed), ports, signal);

/** Of a call that cannot run anyway the program is not asked. */
async function review(
  { id, name, input }: Pick<ToolCall, 'id' | 'name' | 'input'>,
  judgement: Judgement,
  { beforeTool, texts }: JudgePorts,
  signal: AbortSignal,
): Promise<Judgement> {
  const { verdict, effects, rule = null } = judgement;
  if (beforeTool === undefined || verdict === 'invalid' || verdict === 'deny') return judgement;
  // A copy: what the program does to it must not change what the model is said to have said.
  const call = { id, name, input: structuredClone(input), effects, verdict, rule };
  try {
    return await beforeTool(call, judgement, signal);
  } catch (error) {
    return { ...judgement, verdict: 'deny', refusal: texts.broke(name, reasonOf(error)), rule: 'beforeTool' };
  }
}

type Resumed = FactOf<'run.resumed'>;
type Anew = Resumed['judgements'][number];

/** Calls of a run that goes on: where they have not begun, the program is asked again. */
export async function reviewResumption(
  fact: Resumed,
  view: RunView,
  ports: JudgePorts,
  signal: AbortSignal,
): Promise<Resumed> {
  if (ports.beforeTool === undefined) return fact;
  const judgements = new Map(fact.judgements.map((anew) => [anew.callId, anew]));
  for (const open of openCallsOf(view)) {
    const { call, state } = open;
    if (state.status === 'started' || call.verdict === 'invalid') continue;
    const anew = await reviewOpen(open, judgements.get(call.id), ports, signal);
    if (anew === null) judgements.delete(call.id);
    else judgements.set(call.id, anew);
  }
  return { ...fact, judgements: [...judgements.values()] };
}

/** Null: it stays as it was. A decision of a person stands, unless the program forbids the call. */
async function reviewOpen(
  { call, state, decided }: CallState,
  anew: Anew | undefined,
  ports: JudgePorts,
  signal: AbortSignal,
): Promise<Anew | null> {
  const isDecisionKept = anew?.isDecisionKept ?? true;
  const isSettled = state.decision !== null && isDecisionKept;
  const input = isSettled ? (decided?.edited?.input ?? call.input) : call.input;
  const { verdict, refusal, rule = null } = await judgeCall({ ...call, input }, undefined, ports, signal);
  if (isSettled && verdict !== 'deny') return anew ?? null;
  const isSame = verdict === call.verdict && isDecisionKept;
  return isSame ? null : { callId: call.id, verdict, refusal, rule, isDecisionKept };
}
