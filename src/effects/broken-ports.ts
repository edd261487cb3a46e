/**
 * What a port of the host does against its contract, as what it means: a call that failed, an approval that was not
 * given. No fault of one call may end the run, or lose the results of the calls beside it.
 */
import type { Decision, Judgement, LoopTexts, Ports, ToolOutcome } from '../ports.ts';
import { messageOf } from '../errors.ts';

/** One line for whatever was thrown, which need not have a text at all. */
export function reasonOf(error: unknown): string {
  try {
    return messageOf(error).toWellFormed().replaceAll(/\s+/g, ' ').trim();
  } catch {
    return 'no reason was given';
  }
}

/** Runs a call; whatever the toolbox throws, or gives back in place of an outcome, is the failure of this call. */
export async function runSafely(
  toolbox: Ports['toolbox'],
  call: Parameters<Ports['toolbox']['run']>[0],
  signal: AbortSignal,
  texts: LoopTexts,
): Promise<ToolOutcome> {
  try {
    // A copy: what a tool does to its input must not change what the model is said to have said.
    const outcome: unknown = await toolbox.run({ ...call, input: structuredClone(call.input) }, signal);
    if (isOutcome(outcome)) return outcome;
    throw new TypeError('it gave back no outcome');
  } catch (error) {
    return { kind: 'failed', content: texts.broke(call.name, reasonOf(error)) };
  }
}

/** The verdict on a call; one that cannot be judged does not run. */
export function judgeSafely(
  toolbox: Ports['toolbox'],
  texts: LoopTexts,
  ...[name, input, malformed]: Parameters<Ports['toolbox']['judge']>
): Judgement {
  try {
    const judgement: unknown = toolbox.judge(name, structuredClone(input), malformed);
    if (isJudgement(judgement)) return judgement;
    throw new TypeError('it gave back no judgement');
  } catch (error) {
    return { verdict: 'invalid', effects: 'some', refusal: texts.broke(name, reasonOf(error)) };
  }
}

/** How a call can end that has begun. */
const KINDS: readonly unknown[] = [
  'succeeded',
  'failed',
  'timed_out',
  'interrupted',
] satisfies readonly ToolOutcome['kind'][];

const isOutcome = (value: unknown): value is ToolOutcome =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  KINDS.includes(value.kind) &&
  'content' in value &&
  typeof value.content === 'string';

/** One that does not run comes with what the model is told. */
function isJudgement(value: unknown): value is Judgement {
  if (typeof value !== 'object' || value === null || !('verdict' in value && 'effects' in value))
    return false;
  const { verdict, effects } = value;
  const refusal = 'refusal' in value ? value.refusal : undefined;
  if (effects !== 'none' && effects !== 'some') return false;
  return verdict === 'allow' || verdict === 'ask'
    ? refusal === null
    : (verdict === 'deny' || verdict === 'invalid') && typeof refusal === 'string';
}

/** @throws {TypeError} when it is none: only a clear answer approves */
export function asDecision(answer: unknown): Decision {
  if (isDecision(answer)) return answer;
  throw new TypeError('the answer was no decision');
}

function isDecision(value: unknown): value is Decision {
  if (typeof value !== 'object' || value === null || !('decision' in value)) return false;
  if (value.decision === 'wait') return true;
  const isKnown = value.decision === 'approve' || value.decision === 'deny' || value.decision === 'quit';
  return isKnown && 'by' in value && typeof value.by === 'string';
}
