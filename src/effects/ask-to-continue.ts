import type { Fact } from '../ports.ts';
import type { EffectEnd, PerformEffect } from './effect.ts';

/** At the turn limit a person may add turns. Nobody there, an error, or no number: the limit is kept. */
export const askToContinue: PerformEffect = async function* (
  { context },
  { approver },
  signal,
): AsyncGenerator<Fact, EffectEnd, void> {
  const turns = await (approver.raiseLimit?.(context.turn, signal) ?? Promise.resolve(0)).catch(() => 0);
  if (signal.aborted) return undefined;
  yield Number.isSafeInteger(turns) && turns >= 1 ? { type: 'limit.raised', turns } : { type: 'limit.kept' };
  return undefined;
};
