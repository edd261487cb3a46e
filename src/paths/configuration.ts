/** What a set of paths starts from: the limits of a run, and what may happen in it. */
import type { Carried, LoopInput, OnLimit, PromptCost, StopReason } from '../../machines/index.ts';

/**
 * What a call is to the machine. `read`: allowed, only reads. `ask`: has effects, a person decides. `deny`: ruled out.
 * `invalid`: its input does not fit. A letter behind it tells equal calls (`read a` twice) from different ones.
 */
export type CallKind = `${'read' | 'ask' | 'deny' | 'invalid'} ${'a' | 'b'}`;

/** What is left of the budget: enough for a turn and a summary, for a summary, or for nothing. */
export type Money = 'plenty' | 'summary only' | 'nothing';

export interface Configuration {
  readonly name: string;
  readonly maxTurns: number;
  readonly onLimit?: OnLimit;
  readonly maxRetries?: number;
  readonly maxGrowths?: number;
  readonly maxContinuations?: number;
  readonly stuckAfter?: number;
  /** What the first request finds; null: no budget. */
  readonly budget?: Money | null;
  /** Calls that one response may make. */
  readonly batches: readonly (readonly CallKind[])[];
  /** How an approved call may end. */
  readonly endings?: readonly ('succeeded' | 'failed' | 'timed_out')[];
  readonly aborts?: readonly ('signal' | 'user' | 'deadline')[];
  readonly hasInterjections?: boolean;
  /** In every state the process may die, and the run goes on in another one. */
  readonly hasResumptions?: boolean;
  /** Responses beside `model.answered`, `model.called_tools` and `model.failed`. */
  readonly hasOddResponses?: boolean;
  /** What is cut off, and an answer with calls, costs something too, not only what ends the run: many more states. */
  readonly countsEveryToken?: boolean;
  /** How often a person may add a turn. */
  readonly raises?: number;
  /** Counters of earlier segments. */
  readonly carried?: Carried;
  /** How the earlier segment stopped, where that matters. */
  readonly from?: From;
}

export interface From {
  readonly reason: StopReason;
  /** What the next request carries: words of the user, or words of the loop for a model that had the last word. */
  readonly words: 'user' | 'loop' | 'none';
}

/** Amounts of the graph: few and far apart, so that states stay few. */
export const BUDGET = 10_000;
export const AMOUNTS = { next: 2_000, summary: 1_000, huge: 4_500 } as const;
/** What has been spent when so much is left. */
export const SPENT: Readonly<Record<Money, number>> = { plenty: 0, 'summary only': 8_500, nothing: BUDGET };

export const tokens = (count: number): { readonly nanoUsd: number; readonly tokens: number } => ({
  nanoUsd: 0,
  tokens: count,
});

/** Of a text with so many tokens: a turn has it in its own prompt and in that of the summary behind it. */
export const promptCost = (count: number): PromptCost => ({
  next: tokens(2 * count),
  summary: tokens(count),
});

export function inputOf(configuration: Configuration): LoopInput {
  const { budget = null, carried } = configuration;
  const hasBudget = budget !== null;
  return {
    limits: {
      maxTurns: configuration.maxTurns,
      budget: { nanoUsd: null, tokens: hasBudget ? BUDGET : null },
      maxRetries: configuration.maxRetries ?? 1,
      maxGrowths: configuration.maxGrowths ?? 1,
      maxContinuations: configuration.maxContinuations ?? 1,
      stuckAfter: configuration.stuckAfter ?? 3,
    },
    onLimit: configuration.onLimit ?? 'summarise',
    nextCost: tokens(firstCost[budget ?? 'plenty'].next),
    summaryCost: tokens(firstCost[budget ?? 'plenty'].summary),
    ...(carried && { carried }),
  };
}

const firstCost: Readonly<Record<Money, { readonly next: number; readonly summary: number }>> = {
  plenty: AMOUNTS,
  'summary only': { next: BUDGET + 1, summary: AMOUNTS.summary },
  nothing: { next: BUDGET + 1, summary: BUDGET + 1 },
};
