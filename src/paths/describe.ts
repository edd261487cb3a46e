/** A path in words. */
import type { LoopEvent } from '../../machines/index.ts';
import type { Path } from './walk.ts';

export const describePath = (path: Path): string =>
  path.length === 0 ? '(nothing happens)' : path.map(({ event }) => describeFact(event)).join(', ');

export function describeFact(fact: LoopEvent): string {
  switch (fact.type) {
    case 'model.called_tools':
      return `${fact.type}(${fact.calls.map(({ fingerprint }) => fingerprint).join(' + ')})`;
    case 'model.truncated':
      return `${fact.type}(${fact.canGrow ? 'can grow' : 'kept'})`;
    case 'model.failed':
      return `${fact.type}(${fact.isRetryable ? 'passing' : fact.reason})`;
    case 'approval.decided':
      return `${fact.type}(${fact.decision})`;
    case 'tool.finished':
      return `${fact.type}(${fact.outcome.kind})`;
    case 'run.aborted':
      return `${fact.type}(${fact.cause})`;
    case 'limit.raised':
      return `${fact.type}(${fact.turns})`;
    default:
      return fact.type;
  }
}
