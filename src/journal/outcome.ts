/** What a run came to: folds over its facts. */
import type { LoopOutput } from '../../machines/index.ts';
import { totalUsage } from '../budget/cost.ts';
import { textOf } from '../history/blocks.ts';
import { historyOf } from '../history/history.ts';
import type { Fact, JournalHeader, ModelFailure, Outcome, Usage } from '../ports.ts';

export function outcomeOf(header: JournalHeader, facts: readonly Fact[], output: LoopOutput): Outcome {
  const history = historyOf(header, facts);
  const last = facts.findLast((fact) => 'message' in fact);
  return {
    reason: output.reason,
    ...answerOf(facts),
    summary: output.summary,
    turns: output.turns,
    ...spendOf(header, facts),
    stopReason: last?.message.stopReason ?? null,
    stopDetails: last?.message.stopDetails ?? null,
    failure: failureOf(facts, output),
    unread: history.interjections.slice(history.heard),
  };
}

/** What the run has taken, whether it has stopped or waits. */
export function spendOf(
  { price }: Pick<JournalHeader, 'price'>,
  facts: readonly Fact[],
): Pick<Outcome, 'usage' | 'costUsd' | 'isUsageIncomplete'> {
  const nanoUsd = facts.reduce((sum, fact) => ('cost' in fact ? sum + fact.cost.nanoUsd : sum), 0);
  return {
    usage: totalUsage(usagesOf(facts)),
    costUsd: price === null ? null : nanoUsd / 1e9,
    isUsageIncomplete: facts.some(isUnclear),
  };
}

const usagesOf = (facts: readonly Fact[]): readonly Usage[] =>
  facts.flatMap((fact) => ('usage' in fact && fact.usage !== null ? [fact.usage] : []));

const isUnclear = (fact: Fact): boolean =>
  'billing' in fact && (fact.billing === 'unknown' || fact.billing === 'partial');

type Answer = Pick<Outcome, 'answer' | 'answerFrom'>;

/** Text of the closing turn, or else the last text of the run. What a refusal or an overflow cut off is no answer. */
function answerOf(facts: readonly Fact[]): Answer {
  const turns = textsOfTurns(facts);
  const closing = isClosedByResponse(facts) ? (turns.at(-1) ?? '') : '';
  if (closing !== '') return { answer: closing, answerFrom: 'closing_turn' };
  const earlier = turns.findLast((text) => text !== '');
  return earlier === undefined
    ? { answer: '', answerFrom: 'none' }
    : { answer: earlier, answerFrom: 'earlier_turn' };
}

/** One text for each turn that counts; the parts of a paused turn belong together. */
function textsOfTurns(facts: readonly Fact[]): readonly string[] {
  const turns: string[] = [];
  let paused: readonly string[] | null = null;
  for (const fact of facts) {
    if (!isKept(fact)) continue;
    const parts: readonly string[] = [...(paused ?? []), textOf(fact.message.content)].filter(
      (text) => text !== '',
    );
    paused = fact.type === 'model.paused' ? parts : null;
    if (fact.type !== 'model.paused') turns.push(parts.join('\n\n'));
  }
  // A run that stopped in a pause closes with that turn, be it without text.
  return paused === null ? turns : [...turns, paused.join('\n\n')];
}

type Kept = Extract<
  Fact,
  { type: 'model.answered' | 'model.called_tools' | 'model.paused' | 'model.truncated' }
>;

const isKept = (fact: Fact): fact is Kept =>
  fact.type === 'model.answered' ||
  fact.type === 'model.called_tools' ||
  fact.type === 'model.paused' ||
  (fact.type === 'model.truncated' && !fact.canGrow);

/** The last request of the run got a response that counts, and nothing was said to the model since it was resumed. */
function isClosedByResponse(facts: readonly Fact[]): boolean {
  const last = facts.findLast(
    (fact) => fact.type.startsWith('model.') || (fact.type === 'run.resumed' && fact.hasWords),
  );
  return last !== undefined && isKept(last);
}

function failureOf(facts: readonly Fact[], { reason }: LoopOutput): Outcome['failure'] {
  if (reason !== 'model_failed' && reason !== 'context_window') return null;
  const last = facts.findLast((fact) => fact.type.startsWith('model.'));
  if (last?.type === 'model.failed') return last.failure;
  return last?.type === 'model.paused' ? PAUSED_TOO_OFTEN : null;
}

const PAUSED_TOO_OFTEN: ModelFailure = {
  status: null,
  errorType: null,
  message: 'The model paused its turn more often than the limit for continuations allows.',
  retryAfterMs: null,
};
