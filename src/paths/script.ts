/**
 * A path as what the world has to do: which fact is next, and who waits for it. Everybody outside the loop (model,
 * person, tool, clock) asks the script what to do, and the script injects what comes from outside at its very point.
 */
import type { Effect, LoopEvent } from '../../machines/index.ts';
import { effectOf } from '../effects/effect-of.ts';
import { mayRun, nextInBatch, onlyReads } from './calls.ts';
import type { Snapshot } from './graph.ts';
import type { Path } from './walk.ts';

/** `run.resumed`: the process dies, and another one goes on. */
export type FromOutside = Extract<LoopEvent, { type: 'user.interjected' | 'run.aborted' | 'run.resumed' }>;

export type Inject = (fact: FromOutside) => void;

const isFromOutside = (fact: LoopEvent | undefined): fact is FromOutside =>
  fact?.type === 'user.interjected' || fact?.type === 'run.aborted' || fact?.type === 'run.resumed';

export class Script {
  readonly #path: Path;
  readonly #start: Snapshot;
  readonly #isEarly: boolean;
  readonly #inject: Inject;
  readonly #reached = new Set<string>();
  readonly #ended = new Set<string>();
  /** Calls that a dead process had begun. */
  #orphans: readonly string[] = [];
  readonly #waiting = new Set<() => void>();
  /** Facts that are recorded. */
  #position = 0;
  #injected = -1;
  isOver = false;

  /**
   * @param isEarly what comes from outside arrives before an effect has begun; else while it waits, where it ever waits
   */
  constructor(path: Path, start: Snapshot, isEarly: boolean, inject: Inject) {
    this.#path = path;
    this.#start = start;
    this.#isEarly = isEarly;
    this.#inject = inject;
  }

  /** Where the machine rests now. */
  get state(): Snapshot {
    return this.#path[this.#position - 1]?.snapshot ?? this.#start;
  }

  /** The fact that is to come, and those behind it as long as this process lives. */
  get ahead(): readonly LoopEvent[] {
    const facts = this.#path.slice(this.#position).map(({ event }) => event);
    const end = facts.findIndex(({ type }) => type === 'run.resumed');
    return end === -1 ? facts : facts.slice(0, end);
  }

  /** What is under way is cut off next. */
  get isCutNext(): boolean {
    return this.next?.type === 'run.aborted' || this.next?.type === 'run.resumed';
  }

  get next(): LoopEvent | undefined {
    return this.#path[this.#position]?.event;
  }

  /** A fact was recorded. Resolves when what has to come before the next effect has arrived. */
  async recorded(): Promise<void> {
    const fact = this.next;
    if (!isFromOutside(fact)) for (const key of ['model', 'person', 'clock']) this.#reached.delete(key);
    this.#position += 1;
    if (fact?.type === 'run.resumed') this.#beginAnew();
    for (const wake of this.#waiting) wake();
    await this.settle();
  }

  /** Nobody of the dead process waits any longer. */
  #beginAnew(): void {
    this.#reached.clear();
    this.#ended.clear();
    this.#orphans = this.state.context.calls.filter(({ status }) => status === 'started').map(({ id }) => id);
  }

  /** Somebody outside waits now: the effect is under way. */
  async reach(key: string): Promise<void> {
    this.#reached.add(key);
    await this.settle();
  }

  /** Injects the next fact if it is one from outside and its time has come. */
  async settle(): Promise<void> {
    const key = waitingKey(this.state, this.#orphans);
    const isDue = key === null || this.#reached.has(key) || (this.#isEarly && this.#position > 0);
    if (isDue) this.injectNow();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  injectNow(): void {
    const { next } = this;
    if (!isFromOutside(next) || this.#injected === this.#position) return;
    this.#injected = this.#position;
    this.#inject(next);
  }

  /** The next fact that is one of these, once it is its turn; null when the run ends first or `signal` fires. */
  async until<Type extends LoopEvent['type']>(
    types: readonly Type[],
    signal?: AbortSignal,
  ): Promise<Extract<LoopEvent, { type: Type }> | null> {
    for (;;) {
      const { next } = this;
      if (this.isOver || signal?.aborted === true || next === undefined) return null;
      if (isOneOf(next, types)) return next;
      await this.change(signal);
    }
  }

  /** A call has ended whose result nobody has seen yet. */
  ended(callId: string): void {
    this.#ended.add(callId);
    for (const wake of this.#waiting) wake();
  }

  async untilEnded(callIds: readonly string[]): Promise<void> {
    while (!this.isOver && callIds.some((id) => !this.#ended.has(id))) await this.change();
  }

  /** The run has ended: nobody waits any longer. */
  end(): void {
    this.isOver = true;
    for (const wake of this.#waiting) wake();
  }

  /** Resolves with the next fact, the end, or the signal. */
  change(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake);
    });
  }
}

const isOneOf = <Type extends LoopEvent['type']>(
  fact: LoopEvent,
  types: readonly Type[],
): fact is Extract<LoopEvent, { type: Type }> => types.some((type) => type === fact.type);

/** Whom the effect of a state waits for; null where it goes on by itself. */
function waitingKey(snapshot: Snapshot, orphans: readonly string[]): string | null {
  if (snapshot.status !== 'active') return null;
  const effect = effectOf(snapshot);
  if (effect !== 'executeTools') return WAITS[effect];
  const next = nextInBatch(snapshot.context.calls);
  if (next?.step !== 'finish' || !mayRun(next.call)) return null;
  return orphans.includes(next.call.id) && !onlyReads(next.call) ? null : `tool ${next.call.id}`;
}

const WAITS: Readonly<Record<Exclude<Effect, 'executeTools'>, string | null>> = {
  callModel: 'model',
  askForSummary: 'model',
  backOff: 'clock',
  askApproval: 'person',
  askToContinue: 'person',
  closeCalls: null,
};
