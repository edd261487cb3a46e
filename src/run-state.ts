/** The facts of a run so far, and the state that they add up to. The same facts always lead to the same state. */
import { getMicrosteps, initialTransition, type SnapshotFrom } from 'xstate';
import { agentLoop, resumed } from '../machines/index.ts';
import { addToPrompt, startPrompt, type PromptState } from './budget/bounds.ts';
import { priced } from './budget/priced.ts';
import type { Fact, FactOf, JournalHeader } from './ports.ts';

type Snapshot = SnapshotFrom<typeof agentLoop>;

export class RunState {
  readonly #facts: Fact[] = [];
  #header: JournalHeader;
  #prompt: PromptState;
  #snapshot: Snapshot;

  /** @param header of the run, which has done nothing yet */
  constructor(header: JournalHeader) {
    const { limits, onLimit, nextCost, summaryCost } = header;
    this.#header = header;
    this.#prompt = startPrompt(header);
    [this.#snapshot] = initialTransition(agentLoop, { limits, onLimit, nextCost, summaryCost });
  }

  /** What holds now: model, price, rules and limits are those of the last resumption. */
  get header(): JournalHeader {
    return this.#header;
  }

  get facts(): readonly Fact[] {
    return this.#facts;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** The fact as it is to be recorded: with what it adds to the bounds of the next request. */
  priced(fact: Fact): Fact {
    return priced(fact, this.#prompt, this.#header).fact;
  }

  can(fact: Fact): boolean {
    return this.#snapshot.status === 'active' ? this.#snapshot.can(fact) : fact.type === 'run.resumed';
  }

  /**
   * @returns whether the fact led out of the state, be it back into the same one
   * @throws {Error} when it cannot happen here
   */
  take(fact: Fact): boolean {
    const before = this.#snapshot;
    if (!this.can(fact)) throw new Error(`${JSON.stringify(before.value)} cannot take ${fact.type}.`);
    this.#facts.push(fact);
    this.#prompt = addToPrompt(this.#prompt, fact);
    if (fact.type === 'run.resumed') {
      this.#snapshot = resumed(before, fact);
      this.#header = headerAfter(this.#header, fact);
      return true;
    }
    const steps = getMicrosteps(agentLoop, before, fact).map(([snapshot]) => snapshot);
    this.#snapshot = steps.at(-1) ?? before;
    return steps.some((step) => !step.matches(before.value));
  }
}

/** What holds at the end of these facts, see `RunState.header`. */
export const headerAt = (header: JournalHeader, facts: readonly Fact[]): JournalHeader => {
  const last = facts.findLast((fact) => fact.type === 'run.resumed');
  return last === undefined ? header : headerAfter(header, last);
};

const headerAfter = (header: JournalHeader, fact: FactOf<'run.resumed'>): JournalHeader => {
  const { model, price, rules, timeoutMs, limits, onLimit } = fact;
  const { workdir = header.workdir, confinements = header.confinements } = fact;
  return {
    ...header,
    workdir,
    ...(confinements && { confinements }),
    model,
    price,
    rules,
    timeoutMs,
    limits,
    onLimit,
  };
};
