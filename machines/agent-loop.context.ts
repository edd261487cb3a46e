/** What the machine knows, what it starts from and what it comes to. */
import type {
  Amount,
  Limits,
  OnLimit,
  OpenCall,
  Cause,
  SummaryResult,
  StopReason,
} from './agent-loop.types.ts';

/** What a resting state asks the driver to do. */
export type Effect =
  | 'callModel'
  | 'backOff'
  | 'askApproval'
  | 'executeTools'
  | 'closeCalls'
  | 'askToContinue'
  | 'askForSummary';

/** What a run that had stopped brings along when it goes on. */
export interface Carried {
  readonly turn: number;
  readonly spent: Amount;
  readonly failing: Readonly<Record<string, number>>;
  readonly followsTools: boolean;
  /** The last response was paused: it has to go back before anything else. Default: false. */
  readonly isPaused?: boolean;
  /** The user has said what no request has carried. Default: false. */
  readonly hasUnread?: boolean;
}

export interface LoopInput {
  readonly limits: Limits;
  readonly onLimit: OnLimit;
  readonly nextCost: Amount;
  readonly summaryCost: Amount;
  readonly carried?: Carried;
}

/** Counters and open calls: never messages, never timestamps. The context is a state's identity in the graph. */
export interface LoopContext {
  readonly limits: Limits;
  readonly onLimit: OnLimit;
  /** Turns that have had their response. */
  readonly turn: number;
  readonly spent: Amount;
  readonly nextCost: Amount;
  readonly summaryCost: Amount;
  /** Of the turn that is being asked. */
  readonly retries: number;
  readonly growths: number;
  readonly continuations: number;
  /** Tool calls of the last response, in its order; empty once all have their result. */
  readonly calls: readonly OpenCall[];
  /** Fingerprint → turns in which that call ended badly, since something last succeeded. */
  readonly failing: Readonly<Record<string, number>>;
  /** The next request carries tool results that the model has not seen. */
  readonly followsTools: boolean;
  /** A message of the user is waiting for the next request. */
  readonly hasUnread: boolean;
  readonly cause: Cause | null;
  readonly summary: SummaryResult | null;
}

export interface LoopOutput {
  readonly reason: StopReason;
  readonly turns: number;
  readonly spent: Amount;
  readonly summary: SummaryResult | null;
}
