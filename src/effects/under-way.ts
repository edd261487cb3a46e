import type { Fact, Ports } from '../ports.ts';
import type { EffectEnd, PerformEffect, RunView } from './effect.ts';

type Next = IteratorResult<Fact, EffectEnd>;

/** An effect that is being performed. It goes on only when its next fact is asked for. */
export class EffectUnderWay {
  readonly #abort = new AbortController();
  readonly #facts: AsyncGenerator<Fact, EffectEnd, void>;
  #next: Promise<Next> | null = null;
  hasBegun = false;

  constructor(perform: PerformEffect, view: RunView, ports: Ports) {
    this.#facts = perform(view, ports, this.#abort.signal);
  }

  /** Its next fact, or its end: the same promise until `take` is called. */
  next(): Promise<Next> {
    this.hasBegun = true;
    this.#next ??= this.#facts.next();
    return this.#next;
  }

  /** The fact was taken over; the next call of `next` lets the effect go on. */
  take(): void {
    this.#next = null;
  }

  /** Tells the effect to end soon. */
  abort(): void {
    this.#abort.abort();
  }
}
