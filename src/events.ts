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
        const event = listener.events.shift();
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

class Listener {
  readonly events: RunEvent[];
  wake: () => void = () => undefined;

  constructor(events: readonly RunEvent[]) {
    this.events = [...events];
  }

  nextWake(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
