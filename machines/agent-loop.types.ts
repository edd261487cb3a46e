/**
 * The words of the machine: its facts, its context, its input and its output.
 *
 * A fact carries a payload as well (the API's message, a tool's output). The machine never reads that, so it is not
 * here: `src/ports.ts` adds it.
 */

/** Money and tokens side by side, both integers. 1 USD is 1e9 nano-dollars. Either one may be budgeted. */
export interface Amount {
  readonly nanoUsd: number;
  readonly tokens: number;
}

/** A ceiling for a run's spend. `null` means unlimited. */
export interface Budget {
  readonly nanoUsd: number | null;
  readonly tokens: number | null;
}

/** All counts are whole numbers; limits hold for the whole run, resumptions included. */
export interface Limits {
  readonly maxTurns: number;
  readonly budget: Budget;
  /** Retries of one turn after a failed request. */
  readonly maxRetries: number;
  /** How often a truncated response is asked again with a doubled `max_tokens`. */
  readonly maxGrowths: number;
  /** How often a paused turn is sent back. */
  readonly maxContinuations: number;
  /** The same call ending badly in this many turns, with nothing succeeding between, is stuck. */
  readonly stuckAfter: number;
}

export type OnLimit = 'summarise' | 'stop' | 'ask';

/** What the rules say of a call. `invalid`: an unknown tool, or input that does not fit its schema. */
export type Verdict = 'allow' | 'ask' | 'deny' | 'invalid';

export type OutcomeKind = 'succeeded' | 'failed' | 'denied' | 'timed_out' | 'interrupted' | 'not_run';

/** What the machine reads of one tool call. */
export interface CallHead {
  readonly id: string;
  readonly name: string;
  /** Hash of the name and the canonical input: equal calls have equal fingerprints. */
  readonly fingerprint: string;
  /** Hash of the canonical input; a decision must name it. */
  readonly inputHash: string;
  readonly verdict: Verdict;
}

export interface OpenCall extends CallHead {
  readonly decision: 'approve' | 'deny' | null;
  readonly status: 'open' | 'started' | 'succeeded' | 'unsuccessful';
}

/** Why the run stopped. */
export type StopReason =
  | 'end_turn'
  | 'max_turns'
  | 'budget'
  | 'deadline'
  | 'stuck'
  | 'max_tokens'
  | 'refusal'
  | 'context_window'
  | 'model_failed'
  | 'aborted';

/** A stop reason that is known before the run has stopped: open calls are closed, or a summary asked for, first. */
export type Cause = Extract<
  StopReason,
  'max_turns' | 'budget' | 'deadline' | 'stuck' | 'max_tokens' | 'aborted'
>;

/** What became of the final summary turn. */
export type SummaryResult = 'answered' | 'called_tools' | 'truncated' | 'refused' | 'failed' | 'skipped';

/** What every `model.*` fact says. Each amount is an upper bound but `cost`, which was billed. */
interface ModelFactHead {
  readonly request: 'turn' | 'summary';
  readonly cost: Amount;
  /** One more ordinary request at the smallest `max_tokens`, and the summary that could follow it. */
  readonly nextCost: Amount;
  /** A final summary. */
  readonly summaryCost: Amount;
}

export interface ModelAnswered extends ModelFactHead {
  readonly type: 'model.answered';
  readonly calls: readonly CallHead[];
}

export interface ModelCalledTools extends ModelFactHead {
  readonly type: 'model.called_tools';
  readonly calls: readonly CallHead[];
}

export interface ModelPaused extends ModelFactHead {
  readonly type: 'model.paused';
}

export interface ModelTruncated extends ModelFactHead {
  readonly type: 'model.truncated';
  readonly calls: readonly CallHead[];
  /** The model and the budget leave room for a larger `max_tokens`. */
  readonly canGrow: boolean;
}

export interface ModelRefused extends ModelFactHead {
  readonly type: 'model.refused';
}

export interface ModelOverflowed extends ModelFactHead {
  readonly type: 'model.overflowed';
}

export interface ModelFailed extends ModelFactHead {
  readonly type: 'model.failed';
  readonly isRetryable: boolean;
  readonly reason: Extract<StopReason, 'model_failed' | 'context_window'>;
}

export type ModelFact =
  | ModelAnswered
  | ModelCalledTools
  | ModelPaused
  | ModelTruncated
  | ModelRefused
  | ModelOverflowed
  | ModelFailed;

export interface RetryDue {
  readonly type: 'retry.due';
}

export interface ApprovalDecided {
  readonly type: 'approval.decided';
  readonly callId: string;
  readonly inputHash: string;
  readonly decision: 'approve' | 'deny';
}

export interface ToolStarted {
  readonly type: 'tool.started';
  readonly callId: string;
}

/** What a text adds to the bounds: it stands in the prompt of a turn, and in that of the summary behind it. */
export interface PromptCost {
  readonly next: Amount;
  readonly summary: Amount;
}

export interface ToolFinished {
  readonly type: 'tool.finished';
  readonly callId: string;
  readonly outcome: { readonly kind: OutcomeKind };
  readonly promptCost: PromptCost;
}

export interface LimitRaised {
  readonly type: 'limit.raised';
  readonly turns: number;
}

export interface LimitKept {
  readonly type: 'limit.kept';
}

export interface UserInterjected {
  readonly type: 'user.interjected';
  readonly promptCost: PromptCost;
}

export interface RunAborted {
  readonly type: 'run.aborted';
  readonly cause: 'signal' | 'user' | 'deadline';
  readonly cost: Amount;
}

/** An open call that the rules of a resumed run judge otherwise, or whose decision counts no more. */
export interface JudgedAnew {
  readonly callId: string;
  readonly verdict: Verdict;
  readonly isDecisionKept: boolean;
}

/** A run goes on in another process, or after it had stopped. */
export interface RunResumed {
  readonly type: 'run.resumed';
  readonly limits: Limits;
  readonly onLimit: OnLimit;
  readonly judgements: readonly JudgedAnew[];
  /** The user says something to the model with it. */
  readonly hasWords: boolean;
  readonly promptCost: PromptCost;
  /** The most that a request can have cost that was out when the process died. */
  readonly cost: Amount;
}

export type LoopEvent =
  | ModelFact
  | RetryDue
  | ApprovalDecided
  | ToolStarted
  | ToolFinished
  | LimitRaised
  | LimitKept
  | UserInterjected
  | RunAborted
  | RunResumed;
