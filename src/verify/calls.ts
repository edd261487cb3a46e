/** Invariants 2 and 3: no call runs that must not, none twice, and every one gets its result. */
import { hashOf } from '../facts/hash.ts';
import type { ParsedJournal, Placed, VerifiedFact, Violation } from './lines.ts';

type Call = Extract<VerifiedFact, { calls: unknown }>['calls'][number];
type Of<Type extends VerifiedFact['type']> = Placed<Extract<VerifiedFact, { type: Type }>>;

export function callViolations({ facts, ends }: ParsedJournal): readonly Violation[] {
  const made = facts.flatMap((fact) =>
    'calls' in fact && !isReplaced(fact) ? fact.calls.map((call) => ({ ...call, line: fact.line })) : [],
  );
  const ids = made.map(({ id }) => id);
  const of = <Type extends VerifiedFact['type']>(type: Type) =>
    facts.filter((fact): fact is Of<Type> => fact.type === type);
  const [starts, results, decisions] = [of('tool.started'), of('tool.finished'), of('approval.decided')];
  return [
    ...facts.flatMap(blockViolations),
    ...made
      .filter(({ id }, index) => ids.indexOf(id) < index)
      .map((call) => say(call.line, 3, `Two calls have the id ${call.id}.`)),
    ...[...starts, ...results, ...decisions]
      .filter(({ callId }) => !ids.includes(callId))
      .map(({ line, type, callId }) => say(line, 3, `${type} is of a call that nobody made: ${callId}.`)),
    ...repeated(starts).map(({ line, callId }) => say(line, 3, `The call ${callId} starts a second time.`)),
    ...repeated(results).map(({ line, callId }) => say(line, 3, `The call ${callId} has a second result.`)),
    ...starts.flatMap((start) => {
      const call = made.find(({ id }) => id === start.callId);
      const why =
        call === undefined
          ? null
          : refusalOf(
              call,
              decisions.filter(({ line }) => line < start.line),
            );
      return why === null ? [] : [say(start.line, 2, `The call ${start.callId} starts, but ${why}.`)];
    }),
    ...made
      .filter(({ id }) => ends.length > 0 && isStopped(ends) && !results.some(({ callId }) => callId === id))
      .map((call) => say(call.line, 3, `The call ${call.id} has no result.`)),
  ];
}

const say = (line: number, invariant: 2 | 3, message: string): Violation => ({ line, invariant, message });

/** A truncated response that is asked again makes no calls. */
const isReplaced = (fact: VerifiedFact): boolean => fact.type === 'model.truncated' && fact.canGrow;

const isStopped = (ends: ParsedJournal['ends']): boolean => ends.at(-1)?.result.state === 'stopped';

const repeated = <Fact extends { readonly callId: string }>(list: readonly Fact[]): readonly Fact[] =>
  list.filter(({ callId }, index) => list.findIndex((other) => other.callId === callId) < index);

function refusalOf(
  { verdict, id, inputHash }: Call,
  decisions: readonly Of<'approval.decided'>[],
): string | null {
  if (verdict === 'allow') return null;
  if (verdict !== 'ask') return `its verdict is ${verdict}`;
  const decision = decisions.find(({ callId }) => callId === id);
  if (decision === undefined) return 'nobody has approved it';
  if (decision.inputHash !== inputHash) return 'another input was approved';
  return decision.decision === 'approve' ? null : 'it was denied';
}

/** What a fact says of its calls is what the response holds. */
function blockViolations(fact: Placed<VerifiedFact>): readonly Violation[] {
  if (!('calls' in fact)) return [];
  const { line } = fact;
  const blocks = fact.message.content.filter(({ type }) => type === 'tool_use');
  const differs = (message: string): Violation => ({ line, invariant: 1, message });
  if (blocks.length !== fact.calls.length) {
    return [differs(`The response makes ${blocks.length} calls, the fact has ${fact.calls.length}.`)];
  }
  return fact.calls.flatMap((call, index) => {
    const block = blocks[index];
    const isSame = block?.['id'] === call.id && block['name'] === call.name;
    if (!isSame) return [differs(`Call ${index + 1} of the fact is not call ${index + 1} of the response.`)];
    const hash = hashOf(block['input']);
    if (hash !== call.inputHash || hash !== hashOf(call.input)) {
      return [differs(`The input of the call ${call.id} is not the one that the response holds.`)];
    }
    return call.fingerprint === hashOf([call.name, block['input']])
      ? []
      : [differs(`The fingerprint of the call ${call.id} is that of another call.`)];
  });
}
