import type { Approver, Fact } from '../ports.ts';
import type { EffectEnd, PerformEffect } from './effect.ts';

/** At the turn limit a person may add turns. Nobody there, an error, or no number: the limit is kept. */
export const askToContinue: PerformEffect = async function* (
  { context },
  { approver },
  signal,
): AsyncGenerator<Fact, EffectEnd, void> {
  const asked = await ask(approver, context.turn, signal);
  // "No limit" is as many turns as can be counted.
  const turns = Math.min(asked, Number.MAX_SAFE_INTEGER - context.limits.maxTurns);
  if (signal.aborted) return undefined;
  yield Number.isSafeInteger(turns) && turns >= 1 ? { type: 'limit.raised', turns } : { type: 'limit.kept' };
  return undefined;
};

async function ask(approver: Approver, turn: number, signal: AbortSignal): Promise<number> {
  try {
    return (await approver.raiseLimit?.(turn, signal)) ?? 0;
  } catch {
    return 0;
  }
}
