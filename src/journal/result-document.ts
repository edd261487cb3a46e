import type { JournalLine, Outcome, RunResult } from '../ports.ts';
import { isFact } from './lines.ts';
import { spendOf } from './outcome.ts';

/** A result as JSON for other programs: the same fields, spelled like the rest of the document. */
export type ResultDocument = Readonly<Record<string, unknown>>;

/** @param lines of the run's journal: what a run that waits has taken is only there */
export function resultDocument(result: RunResult, lines: readonly JournalLine[]): ResultDocument {
  if (result.state === 'waiting') {
    const [header] = lines;
    const spend = header?.type === 'run.started' ? spendDocument(spendOf(header, lines.filter(isFact))) : {};
    return { state: 'waiting', run_id: result.runId, waiting_calls: result.callIds, ...spend };
  }
  return {
    state: 'stopped',
    run_id: result.runId,
    reason: result.reason,
    answer: result.answer,
    answer_from: result.answerFrom,
    summary: result.summary,
    turns: result.turns,
    ...spendDocument(result),
    stop_reason: result.stopReason,
    stop_details: result.stopDetails,
    failure: result.failure,
    unread: result.unread,
  };
}

const spendDocument = ({
  usage,
  costUsd,
  isUsageIncomplete,
}: Pick<Outcome, 'usage' | 'costUsd' | 'isUsageIncomplete'>): ResultDocument => ({
  usage: {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
  },
  is_usage_incomplete: isUsageIncomplete,
  cost_usd: costUsd,
});
