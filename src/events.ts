import type { Delta, Fact } from './ports.ts';

/** What a listener of a run sees: facts once they are recorded, and text as it streams. */
export type RunEvent = Fact | Delta;

/** Events of one run for any number of listeners. A late one gets the earlier facts, but not the earlier deltas. */
export class EventLog implements AsyncIterable<RunEvent> {
  readonly #facts: Fact[] = [];
  readonly #listeners = new Set<Listener>();
  #isOver = false;

  addFact(fact: Fact): void {
    this.#facts.push(fact);
    this.#tell(fact);
  }

  addDelta(delta: Delta): void {
    this.#tell(delta);
  }

  end(): void {
    this.#isOver = true;
    for (const listener of this.#listeners) listener.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, void> {
    const listener = new Listener(this.#facts);
    this.#listeners.add(listener);
    try {
      for (;;) {
        const event = listener.next();
        if (event !== undefined) yield event;
        else if (this.#isOver) return;
        else await listener.nextWake();
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }

  #tell(event: RunEvent): void {
    for (const listener of this.#listeners) {
      listener.events.push(event);
      listener.wake();
    }
  }
}

/** Events that were read are let go so many at a time. */
const KEPT = 10_000;

class Listener {
  readonly events: RunEvent[];
  #read = 0;
  wake: () => void = () => undefined;

  constructor(events: readonly RunEvent[]) {
    this.events = [...events];
  }

  /** Not by `shift`: on a long list that moves all others. */
  next(): RunEvent | undefined {
    const event = this.events[this.#read];
    if (event === undefined) return undefined;
    this.#read += 1;
    if (this.#read >= KEPT) {
      this.events.splice(0, this.#read);
      this.#read = 0;
    }
    return event;
  }

  nextWake(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
