/** Longer times do not fit into Node's timers, which would then fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** As `setTimeout`, for any time: what is longer than 24 days takes 24 days. */
export const startTimer = (onEnd: () => void, ms: number): NodeJS.Timeout =>
  setTimeout(onEnd, Math.min(ms, MAX_TIMER_MS));

/** How something ended, or why it has to. */
export function cutShort<End>(
  ended: Promise<End>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<End | 'timed_out' | 'interrupted'> {
  return new Promise((resolve) => {
    const finish = (how: End | 'timed_out' | 'interrupted'): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      resolve(how);
    };
    const interrupt = (): void => finish('interrupted');
    const timer = startTimer(() => finish('timed_out'), timeoutMs);
    // The tool's own first step may have stopped the run.
    if (signal.aborted) return interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    void ended.then(finish);
  });
}

/** Waits for the end, but no longer than `ms`. */
export const within = (ms: number, ended: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = startTimer(finish, ms);
    void ended.then(finish);
  });
