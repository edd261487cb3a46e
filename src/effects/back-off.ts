import type { Fact } from '../ports.ts';
import type { EffectEnd, PerformEffect } from './effect.ts';

const FIRST_MS = 500;
const LAST_MS = 8_000;
/** The longest delay is shortened by up to this share, so that many runs do not come back at once. */
const JITTER = 0.25;

/** Waits as long as the failure said, then the same turn is asked again. */
export const backOff: PerformEffect = async function* (
  { facts },
  { clock },
  signal,
): AsyncGenerator<Fact, EffectEnd, void> {
  const failed = facts.findLast((fact) => fact.type === 'model.failed');
  await clock.sleep(failed?.delayMs ?? FIRST_MS, signal);
  if (!signal.aborted) yield { type: 'retry.due' };
  return undefined;
};

/**
 * Delay before a retry, in milliseconds: what the server asked for, else 0.5 s doubled with each retry, 8 s at most.
 * @param retries retries that this turn has had
 * @param random 0 ≤ x < 1
 */
export const delayOf = (retries: number, retryAfterMs: number | null, random: number): number =>
  retryAfterMs ?? Math.round(Math.min(FIRST_MS * 2 ** retries, LAST_MS) * (1 - JITTER * random));
