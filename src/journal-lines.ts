/** Lines of a journal: its header, facts, and how a segment ended. docs/journal.md describes the file. */
import type { Amount, Limits, OnLimit, StopReason, SummaryResult } from '../machines/index.ts';
import type { Confinement } from './sandbox/types.ts';
import type { Fact, ModelFailure, Price, Rule, ToolDefinition } from './facts.ts';

export interface JournalHeader {
  readonly type: 'run.started';
  readonly format: 1;
  readonly runId: string;
  readonly at: string;
  readonly task: string;
  readonly system: string;
  readonly model: string;
  readonly effort: string | null;
  readonly maxTokens: number;
  readonly tools: readonly ToolDefinition[];
  readonly workdir: string | null;
  /** How the tools that run something are confined, by their names. Runs of earlier versions say nothing. */
  readonly confinements?: Readonly<Record<string, Confinement>>;
  readonly limits: Limits;
  readonly onLimit: OnLimit;
  readonly timeoutMs: number | null;
  readonly rules: readonly Rule[];
  /** The run that this one was forked from, and how many of its lines it has: they may be of other tools. */
  readonly forkOf?: { readonly runId: string; readonly lines: number };
  /** Name of the set of error texts. */
  readonly texts: string;
  readonly price: Price | null;
  /** Bounds of the first request. */
  readonly nextCost: Amount;
  readonly summaryCost: Amount;
}

export interface Outcome {
  readonly reason: StopReason;
  readonly answer: string;
  /** `closing_turn`, `earlier_turn` (the closing turn had no text) or `none`. */
  readonly answerFrom: 'closing_turn' | 'earlier_turn' | 'none';
  readonly summary: SummaryResult | null;
  readonly turns: number;
  /** Sums over every billed response, failed attempts included. */
  readonly usage: TotalUsage;
  /** USD; null when the model's price is not known. */
  readonly costUsd: number | null;
  /** Some response did not say, or not fully, what it used. */
  readonly isUsageIncomplete: boolean;
  readonly stopReason: string | null;
  readonly stopDetails: unknown;
  /** Why the model failed, where that is the reason. */
  readonly failure: ModelFailure | null;
  /** Messages of the user that no response has seen. */
  readonly unread: readonly string[];
}

export interface TotalUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** A run that has not stopped: it waits for decisions, and can be resumed. */
export interface Waiting {
  readonly callIds: readonly string[];
}

export type RunResult =
  | ({ readonly state: 'stopped'; readonly runId: string } & Outcome)
  | ({ readonly state: 'waiting'; readonly runId: string } & Waiting);

/** The last line of a segment. */
export interface SegmentEnd {
  readonly type: 'run.ended';
  readonly at: string;
  readonly result: RunResult;
}

export type RecordedFact = Fact & { readonly at: string };
/** A segment begins with the header or with `run.resumed`, and ends with `run.ended`, if its process did not die. */
export type JournalLine = JournalHeader | RecordedFact | SegmentEnd;
