/**
 * Cuts a request off when its caller aborts, or when what it waits for does not come in time. The SDK's own timeout
 * ends with the response headers, so a server that stalls in mid-stream would hold a run for ever.
 */
export class Watch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #cut: Promise<never>;
  #timer: NodeJS.Timeout | undefined;
  #expired: string | null = null;

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    const { signal } = this.#controller;
    this.#cut = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('cut off')), { once: true });
    });
    // It is raced, and perhaps nobody races it any more when it rejects.
    this.#cut.catch(() => undefined);
    outer.addEventListener('abort', this.#abort, { once: true });
    if (outer.aborted) this.#abort();
  }

  /** For the request: fires with either cause. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What did not come in time, or null. */
  get expired(): string | null {
    return this.#expired;
  }

  /** From now on `what` has `ms` milliseconds to come. Replaces what was expected before. */
  expect(what: string, ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#expired = `${what} within ${ms / 1_000} s`;
      this.#abort();
    }, ms);
  }

  /** Settles with `promise`, or rejects at once when the request is cut off, whether `promise` heeds that or not. */
  guard<Value>(promise: Promise<Value>): Promise<Value> {
    return Promise.race([promise, this.#cut]);
  }

  /** Lets go of the timer, the caller's signal and the request. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#abort);
    this.#abort();
  }

  readonly #abort = (): void => this.#controller.abort();
}
