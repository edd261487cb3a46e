/** A recorded run as a model for another one: the same agent must ask the same, request by request. */
import { guards } from '../machines/index.ts';
import { prepare } from './effects/call-model.ts';
import { effectOf } from './effects/effect-of.ts';
import { historyOf } from './history/history.ts';
import { isFact } from './journal/lines.ts';
import { replay } from './model/replay.ts';
import type { Fact, JournalLine, LoopTexts, Model, ModelRequest } from './ports.ts';
import { RunState } from './run-state.ts';
import { instructive } from './tools/texts.ts';

/**
 * Answers as the recorded run was answered, failures included; the first request that differs from the recorded one
 * fails, and the failure names the difference.
 * @param texts the set of texts that the recorded run had; its name is in the journal's header
 * @throws {TypeError} when the lines have no header
 */
export function replayOf(lines: readonly JournalLine[], texts: LoopTexts = instructive): Model {
  const model: Model = replay(lines, { requestOf: (_, index) => requestAt(lines, index, model, texts) });
  return model;
}

/** The request that the model fact at `index` answered, rebuilt from the facts before it. */
function requestAt(
  lines: readonly JournalLine[],
  index: number,
  model: Model,
  texts: LoopTexts,
): ModelRequest {
  const [header] = lines;
  const answer = lines[index];
  if (header?.type !== 'run.started' || answer === undefined || !('heard' in answer)) {
    throw new TypeError('No model fact at this line of the journal.');
  }
  const facts = untilAsked(lines.slice(0, index).filter(isFact), answer.heard);
  const state = new RunState(header);
  for (const fact of facts) state.take(fact);
  const isSummary = effectOf(state.snapshot) === 'askForSummary';
  const { context } = state.snapshot;
  const asked = prepare(
    { header: state.header, facts, context },
    { model, texts },
    isSummary ? 'summary' : 'turn',
    isSummary || guards.isToolless(context),
  );
  return { ...asked.request, max_tokens: answer.maxTokens };
}

/** What the user said while the request was out is no part of it. */
function untilAsked(facts: readonly Fact[], heard: number): readonly Fact[] {
  const { interjections, isPaused } = historyOf({ task: '' }, facts);
  const last = facts.at(-1);
  return !isPaused && last?.type === 'user.interjected' && interjections.length > heard
    ? untilAsked(facts.slice(0, -1), heard)
    : facts;
}
