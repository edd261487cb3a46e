/** The person and the clock of a path: they do what the script says, when it says so. */
import { systemClock } from '../clock.ts';
import type { Approver, Clock } from '../ports.ts';
import type { Script } from './script.ts';

export const personIn = (script: Script): Approver => ({
  decide: async (call, signal) => {
    await script.reach('person');
    const fact = await script.until(['approval.decided'], signal);
    if (fact === null) return { decision: 'wait' };
    return fact.decision === 'approve'
      ? { decision: 'approve', by: 'host' }
      : { decision: 'deny', by: 'host', reason: `Not ${call.name}.` };
  },
  raiseLimit: async (_, signal) => {
    await script.reach('person');
    const fact = await script.until(['limit.raised', 'limit.kept'], signal);
    return fact?.type === 'limit.raised' ? fact.turns : 0;
  },
});

/** How long the driver waits for an aborted effect; retries are waited for less, the deadline is further off. */
const DRAIN_MS = 2_000;

export class Time {
  readonly #script: Script;
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(script: Script) {
    this.#script = script;
  }

  /** The deadline passes. Its clock may stand still: then it is over as soon as the clock goes on. */
  pass(): void {
    this.#isOver = true;
    this.#wake();
  }

  readonly clock: Clock = {
    ...systemClock,
    random: () => 0,
    sleep: async (ms, signal) => {
      if (ms === DRAIN_MS) return fired(signal);
      if (ms > DRAIN_MS) return this.#deadline(signal);
      await this.#script.reach('clock');
      await this.#script.until(['retry.due'], signal);
    },
  };

  async #deadline(signal: AbortSignal): Promise<void> {
    if (this.#isOver) return;
    const over = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([fired(signal), over]);
  }
}

const fired = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
