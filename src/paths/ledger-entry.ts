/** The ledger's fields. */
import type { CallHead, Cause, LoopInput, ModelFact, OnLimit, SummaryResult } from '../../machines/index.ts';

export interface LedgerCall {
  readonly head: CallHead;
  readonly decision: 'approve' | 'deny' | null;
  readonly status: 'open' | 'started' | 'ended';
  readonly isSuccess: boolean;
}

export interface Ledger {
  readonly input: LoopInput;
  readonly maxTurns: number;
  readonly onLimit: OnLimit;
  readonly turns: number;
  readonly spent: number;
  readonly next: number;
  readonly summaryBound: number;
  readonly retries: number;
  readonly growths: number;
  readonly continuations: number;
  /** Of the last response. */
  readonly calls: readonly LedgerCall[];
  readonly failing: Readonly<Record<string, number>>;
  /** The model has not seen the results of the last calls. */
  readonly hasNewResults: boolean;
  /** Words of the user that no request has carried. */
  readonly hasUnread: boolean;
  readonly cause: Cause | null;
  readonly summary: SummaryResult | null;
  /** What has to be done now; `turn` and `summary`: that request is out. */
  readonly due: 'request' | 'turn' | 'summary' | 'offer' | 'wait' | 'work' | 'close' | 'stop';
  readonly response: ModelFact | null;
}

export const isOpen = ({ status }: LedgerCall): boolean => status !== 'ended';
export const isUndecided = ({ head, decision }: LedgerCall): boolean =>
  head.verdict === 'ask' && decision === null;

/** One more turn, and the summary behind it, could cost more than is left. */
export const isOver = ({ input, spent, next }: Ledger): boolean =>
  input.limits.budget.tokens !== null && spent + next > input.limits.budget.tokens;
