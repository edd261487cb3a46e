import type { RunResult } from '../ports.ts';

/** A result as JSON for other programs: the same fields, spelled like the rest of the document. */
export type ResultDocument = Readonly<Record<string, unknown>>;

export function resultDocument(result: RunResult): ResultDocument {
  if (result.state === 'waiting') {
    return { state: 'waiting', run_id: result.runId, waiting_calls: result.callIds };
  }
  const { usage } = result;
  return {
    state: 'stopped',
    run_id: result.runId,
    reason: result.reason,
    answer: result.answer,
    answer_from: result.answerFrom,
    summary: result.summary,
    turns: result.turns,
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_input_tokens: usage.cacheReadTokens,
      cache_creation_input_tokens: usage.cacheWriteTokens,
    },
    is_usage_incomplete: result.isUsageIncomplete,
    cost_usd: result.costUsd,
    stop_reason: result.stopReason,
    stop_details: result.stopDetails,
    failure: result.failure,
    unread: result.unread,
  };
}
