/** What an effect is: it does what a resting state waits for, and yields the facts that come of it. */
import type { Amount, LoopContext } from '../../machines/index.ts';
import type { AbortedRequest, Fact, JournalHeader, Ports } from '../ports.ts';

/** What an effect sees of its run: the context as it was when the effect began, the facts as they are by now. */
export interface RunView {
  readonly header: JournalHeader;
  readonly facts: readonly Fact[];
  readonly context: LoopContext;
  /** Facts there were when the state was entered. What the user says later belongs to the next request. */
  readonly since: number;
}

/** What an aborted request had cost by then. */
export interface Bill extends AbortedRequest {
  readonly cost: Amount;
}

/** Nothing was under way that costs anything. */
export const NO_BILL: Bill = {
  abortedRequest: null,
  usage: null,
  billing: 'none',
  durationMs: 0,
  cost: { nanoUsd: 0, tokens: 0 },
};

/**
 * How an effect ends. Nothing: its facts have led on. `waiting`: nobody can decide now, the run ends here and can be
 * resumed. `aborted`: the signal cut it short, and this is what that cost.
 */
export type EffectEnd =
  | undefined
  | { readonly end: 'waiting' }
  | { readonly end: 'aborted'; readonly bill: Bill };

export type PerformEffect = (
  run: RunView,
  ports: Ports,
  signal: AbortSignal,
) => AsyncGenerator<Fact, EffectEnd, void>;
