/** Invariant 2: no asked call runs without an approval of its input, and no call that is denied or invalid. */
import { isHashOf } from './hash.ts';
import { callsIn, factsOf, type ParsedJournal, type Placed, type PlacedCall } from './lines.ts';
import type { FactOf } from './schemas.ts';
import { sayer, shown, type Violation } from './violation.ts';

const say = sayer(2);

type Decided = Placed<FactOf<'approval.decided'>>;

export function permissionViolations({ header, facts }: ParsedJournal): readonly Violation[] {
  const calls = facts.flatMap(callsIn);
  const byId = new Map(calls.map((call) => [call.id, call]));
  const decisions = factsOf(facts, 'approval.decided');
  const denied = new Set(
    (header?.rules ?? []).filter(({ verdict }) => verdict === 'deny').map(({ tool }) => tool),
  );
  return [
    ...calls
      .filter(({ name, verdict }) => denied.has(name) && (verdict === 'allow' || verdict === 'ask'))
      .map(({ id, name, verdict, line }) =>
        say(line, `A rule denies ${shown(name)}, but the verdict on the call ${shown(id)} is ${verdict}.`),
      ),
    ...decisions.flatMap((decision) => decisionViolations(decision, byId.get(decision.callId))),
    ...factsOf(facts, 'tool.started').flatMap(({ line, callId }) => {
      const call = byId.get(callId);
      const earlier = decisions.filter((decision) => decision.callId === callId && decision.line < line);
      const why = call === undefined ? null : refusalOf(call, earlier);
      return why === null ? [] : [say(line, `The call ${shown(callId)} starts, but ${why}.`)];
    }),
  ];
}

function decisionViolations(
  { line, callId, inputHash, edited }: Decided,
  call: PlacedCall | undefined,
): readonly Violation[] {
  if (call === undefined) return [];
  return [
    ...(call.verdict === 'ask'
      ? []
      : [say(line, `The call ${shown(callId)} is decided, but its verdict is ${call.verdict}.`)]),
    ...(call.inputHash === inputHash
      ? []
      : [say(line, `The decision is of another input than that of the call ${shown(callId)}.`)]),
    ...(edited === null || isHashOf(edited.inputHash, edited.input)
      ? []
      : [say(line, `The hash of the edited input of the call ${shown(callId)} is that of another input.`)]),
  ];
}

function refusalOf({ verdict, inputHash }: PlacedCall, decisions: readonly Decided[]): string | null {
  if (verdict === 'allow') return null;
  if (verdict !== 'ask') return `its verdict is ${verdict}`;
  const [first] = decisions;
  if (first === undefined) return 'nobody has approved it';
  if (decisions.some(({ decision }) => decision === 'deny')) return 'it was denied';
  return first.inputHash === inputHash ? null : 'another input was approved';
}
