/** The calls of the graph, and the order in which the loop lets them run. */
import type { CallHead, OpenCall } from '../../machines/index.ts';
import type { CallKind } from './configuration.ts';

const VERDICTS = { read: 'allow', ask: 'ask', deny: 'deny', invalid: 'invalid' } as const;

/** Ids are unique in a run: they count turns and calls. */
export const callOf = (kind: CallKind, turn: number, index: number): CallHead => ({
  id: `toolu_t${turn}c${index + 1}`,
  name: familyOf(kind),
  fingerprint: kind,
  inputHash: kind,
  verdict: VERDICTS[familyOf(kind)],
});

type Family = keyof typeof VERDICTS;

// A kind is a family and a letter.
const familyOf = (kind: string): Family => kind.split(' ')[0] as Family;

/** `none`: the call only reads and may run beside its neighbours. An input that does not fit runs nothing. */
export const onlyReads = ({ name }: Pick<CallHead, 'name'>): boolean => name === 'read' || name === 'invalid';

export const isOpen = ({ status }: OpenCall): boolean => status === 'open' || status === 'started';

export const mayRun = ({ verdict, decision }: OpenCall): boolean =>
  verdict === 'allow' || (verdict === 'ask' && decision === 'approve');

/**
 * What the loop does next with a batch: neighbours that only read start together, then end in their order; others go
 * one after the other.
 */
export function nextInBatch(
  calls: readonly OpenCall[],
): { readonly step: 'start' | 'finish'; readonly call: OpenCall } | null {
  const first = calls.findIndex(isOpen);
  const call = calls[first];
  if (call === undefined) return null;
  const rest = calls.slice(first);
  const end = rest.findIndex((other) => !onlyReads(other));
  const group = onlyReads(call) ? rest.slice(0, end === -1 ? rest.length : end) : [call];
  const next = group.find((other) => mayRun(other) && other.status === 'open');
  return next === undefined ? { step: 'finish', call } : { step: 'start', call: next };
}
