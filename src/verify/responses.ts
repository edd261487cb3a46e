/** Invariant 1, response by response: what a fact says of a response is what the response holds. */
import { isHashOf } from './hash.ts';
import { isKept, type ParsedJournal, type Placed, type Responded } from './lines.ts';
import type { FactOf, VerifiedFact } from './schemas.ts';
import { sayer, shown, type Violation } from './violation.ts';

const say = sayer(1);

export const responseViolations = ({ facts }: ParsedJournal): readonly Violation[] =>
  facts
    .filter((fact): fact is Responded => 'message' in fact)
    .flatMap((fact) => [
      ...stopReasonViolations(fact),
      ...('calls' in fact ? callViolations(fact) : []),
      ...(isKept(fact) ? thinkingViolations(fact) : []),
    ]);

/** Which fact each `stop_reason` of the API leads to. */
const STOP_REASONS: Readonly<Record<Responded['type'], readonly (string | null)[]>> = {
  'model.answered': ['end_turn', 'stop_sequence'],
  'model.called_tools': ['tool_use'],
  'model.paused': ['pause_turn'],
  'model.truncated': ['max_tokens'],
  'model.refused': ['refusal'],
  'model.overflowed': ['model_context_window_exceeded'],
};

function stopReasonViolations({ type, line, message }: Responded): readonly Violation[] {
  const { stopReason } = message;
  return STOP_REASONS[type].includes(stopReason)
    ? []
    : [sayer(6)(line, `The stop_reason ${shown(String(stopReason))} does not lead to ${type}.`)];
}

type Calling = Placed<FactOf<'model.answered' | 'model.called_tools' | 'model.truncated'>>;

function callViolations(fact: Calling): readonly Violation[] {
  const { line, message, calls } = fact;
  // What is asked for again may hold calls that could not go back to the model: none of them counts.
  if (calls.length === 0 && !isKept(fact)) return [];
  const blocks = message.content.filter(({ type }) => type === 'tool_use');
  if (blocks.length !== calls.length) {
    return [say(line, `The response makes ${blocks.length} calls, the fact has ${calls.length}.`)];
  }
  return calls.flatMap((call, index) => {
    const problem = problemOf(call, blocks[index] ?? {}, index + 1);
    return problem === null ? [] : [say(line, problem)];
  });
}

type Call = Calling['calls'][number];

function problemOf(call: Call, block: Readonly<Record<string, unknown>>, nth: number): string | null {
  const { id, name, input, inputHash, fingerprint } = call;
  if (block['id'] !== id || block['name'] !== name)
    return `Call ${nth} of the fact is not call ${nth} of the response.`;
  const made = block['input'];
  if (!isHashOf(inputHash, made) || !isHashOf(inputHash, input))
    return `The input of the call ${shown(id)} is not the one that the response holds.`;
  return isHashOf(fingerprint, [name, made])
    ? null
    : `The fingerprint of the call ${shown(id)} is that of another call.`;
}

/** The API takes thinking back only as it was sent: what vouches for that must be there. */
const thinkingViolations = ({ line, message }: Responded): readonly Violation[] =>
  message.content.flatMap((block, index) =>
    isUnsigned(block)
      ? [say(line, `Block ${index + 1} of the response is ${block.type} without what vouches for it.`)]
      : [],
  );

const SIGNED_BY: Readonly<Record<string, string>> = { thinking: 'signature', redacted_thinking: 'data' };

function isUnsigned(block: VerifiedBlock): boolean {
  const field = Object.hasOwn(SIGNED_BY, block.type) ? SIGNED_BY[block.type] : undefined;
  if (field === undefined) return false;
  const value = block[field];
  return typeof value !== 'string' || value === '';
}

type VerifiedBlock = Extract<VerifiedFact, { message: unknown }>['message']['content'][number];
