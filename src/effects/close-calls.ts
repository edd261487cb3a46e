import type { LoopContext } from '../../machines/index.ts';
import type { Fact, LoopTexts, ToolOutcome } from '../ports.ts';
import { openCallsOf, resultOf, type CallState } from './calls.ts';
import type { EffectEnd, PerformEffect } from './effect.ts';

/** Every call gets a result, also one that will not run: the API refuses a history in which one is missing. */
export const closeCalls: PerformEffect = async function* (
  run,
  { texts },
): AsyncGenerator<Fact, EffectEnd, void> {
  for (const open of openCallsOf(run)) {
    yield resultOf({ callId: open.call.id, outcome: outcomeOf(open, run.context, texts), durationMs: 0 });
  }
  return undefined;
};

const outcomeOf = ({ call, state }: CallState, context: LoopContext, texts: LoopTexts): ToolOutcome =>
  state.status === 'started'
    ? { kind: 'interrupted', content: texts.interrupted(call.name) }
    : { kind: 'not_run', content: texts.notRun(reasonOf(context)) };

const reasonOf = ({ cause, summary }: LoopContext): Parameters<LoopTexts['notRun']>[0] =>
  summary === null ? (cause ?? 'end_turn') : 'summary';
