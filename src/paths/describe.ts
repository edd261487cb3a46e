/** A path in words. */
import type { LoopEvent } from '../../machines/index.ts';
import type { Path } from './walk.ts';

export const describePath = (path: Path): string =>
  path.length === 0 ? '(nothing happens)' : path.map(({ event }) => describeFact(event)).join(', ');

function describeFact(fact: LoopEvent): string {
  const detail = detailOf(fact);
  return detail === null ? fact.type : `${fact.type}(${detail})`;
}

function detailOf(fact: LoopEvent): string | null {
  if ('calls' in fact && fact.calls.length > 0) {
    return fact.calls.map(({ fingerprint }) => fingerprint).join(' + ');
  }
  if ('canGrow' in fact) return fact.canGrow ? 'can grow' : 'kept';
  if ('isRetryable' in fact) return fact.isRetryable ? 'passing' : fact.reason;
  if ('decision' in fact) return fact.decision;
  if ('outcome' in fact) return fact.outcome.kind;
  if ('cause' in fact) return fact.cause;
  if (fact.type === 'run.resumed') return resumptionDetail(fact);
  return 'turns' in fact ? String(fact.turns) : null;
}

function resumptionDetail({
  limits,
  hasWords,
  judgements,
}: Extract<LoopEvent, { type: 'run.resumed' }>): string {
  const changes = judgements.map(({ callId, verdict, isDecisionKept }) =>
    isDecisionKept ? `${callId} is ${verdict}` : `${callId} is asked again`,
  );
  return [`turns: ${limits.maxTurns}`, ...(hasWords ? ['words'] : []), ...changes].join('; ');
}
