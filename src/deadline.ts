import type { Inbox } from './inbox.ts';
import type { Clock } from './ports.ts';

/** Working time that is left. The clock stands still while a person is asked. */
export class Deadline {
  readonly #clock: Clock;
  readonly #inbox: Inbox;
  #leftMs: number | null;

  /** @param timeoutMs working time of this invocation, or null for no limit */
  constructor(clock: Clock, inbox: Inbox, timeoutMs: number | null) {
    this.#clock = clock;
    this.#inbox = inbox;
    this.#leftMs = timeoutMs;
  }

  /** Lets time pass until the returned function is called. At the end of it the run is told to stop. */
  start(): () => void {
    const leftMs = this.#leftMs;
    if (leftMs === null) return () => undefined;
    const startedAt = this.#clock.now();
    const stop = new AbortController();
    const end = (): void => {
      if (!stop.signal.aborted) this.#inbox.put({ kind: 'abort', cause: 'deadline', by: 'timeout' });
    };
    // A clock that fails keeps no limit: the time counts as over.
    this.#clock.sleep(leftMs, stop.signal).then(end, end);
    return () => {
      stop.abort();
      this.#leftMs = Math.max(0, leftMs - (this.#clock.now() - startedAt));
    };
  }
}
