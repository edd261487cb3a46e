/** Clocks for tests: none of them knows the real time. */
import type { Clock } from '../../src/ports.ts';

/** Time that passes only when somebody sleeps, and then at once. */
export function fakeClock(): Clock & { readonly slept: readonly number[] } {
  let now = 0;
  const slept: number[] = [];
  return {
    slept,
    date: () => new Date(now).toISOString(),
    now: () => now,
    random: () => 0,
    sleep: async (ms, signal) => {
      if (signal.aborted) return;
      slept.push(ms);
      now += ms;
    },
  };
}

/** A clock on which nothing ever falls due. */
export const stoppedClock: Clock = {
  date: () => new Date(0).toISOString(),
  now: () => 0,
  random: () => 0,
  sleep: (_, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    }),
};

/** Time that passes only when nothing else can happen, and then up to whoever wakes first. */
export function virtualClock(): Clock & { readonly sleepers: () => number } {
  let now = 0;
  let isTicking = false;
  let sleepers: readonly { readonly at: number; readonly wake: () => void }[] = [];
  const tick = (): void => {
    const [next] = sleepers.toSorted((a, b) => a.at - b.at);
    isTicking = next !== undefined;
    if (next === undefined) return;
    sleepers = sleepers.filter((other) => other !== next);
    now = next.at;
    next.wake();
    setImmediate(tick);
  };
  return {
    date: () => new Date(now).toISOString(),
    now: () => now,
    random: () => 0.5,
    sleepers: () => sleepers.length,
    sleep: (ms, signal) =>
      new Promise((wake) => {
        if (signal.aborted) return wake();
        const sleeper = { at: now + ms, wake };
        sleepers = [...sleepers, sleeper];
        signal.addEventListener('abort', () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          wake();
        });
        if (!isTicking) setImmediate(tick);
        isTicking = true;
      }),
  };
}
