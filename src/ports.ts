/**
 * Read this first. Everything that happens in a run is a **fact**; facts come from effects, and effects reach the world
 * only through the ports below. The machine (`machines/`) decides what is next, `src/run.ts` lets the two talk.
 */
import type {
  Amount,
  ApprovalDecided,
  CallHead,
  LimitKept,
  LimitRaised,
  Limits,
  ModelAnswered,
  ModelCalledTools,
  ModelFailed,
  ModelOverflowed,
  ModelPaused,
  ModelRefused,
  ModelTruncated,
  OnLimit,
  RetryDue,
  RunAborted,
  SummaryResult,
  StopReason,
  ToolFinished,
  ToolStarted,
  UserInterjected,
  Verdict,
} from '../machines/index.ts';

// ---- What the Messages API speaks -----------------------------------------------------------------------------------

/** A content block, kept as the API sent it: unknown types and fields included. */
export interface ContentBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}

/** A response of the API as assembled from its stream. `usage` stands beside it, see `ModelReply`. */
export interface AssistantMessage {
  readonly id: string;
  readonly model: string;
  readonly content: readonly ContentBlock[];
  readonly stopReason: string | null;
  readonly stopSequence: string | null;
  readonly stopDetails: unknown;
}

/** Token counts as the API reports them. `input_tokens` leaves out what was read from or written to the cache. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  } | null;
  readonly [field: string]: unknown;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly type: 'object'; readonly [keyword: string]: unknown };
}

/** A request body of the Messages API. `stream: true` is added where it is sent. */
export interface ModelRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: string;
  readonly tools?: readonly ToolDefinition[];
  readonly tool_choice?: { readonly type: 'none' };
  readonly output_config?: { readonly effort: string };
  readonly messages: readonly Message[];
}

// ---- Facts ----------------------------------------------------------------------------------------------------------

/**
 * How the cost of a request is known. `reported`: the API said so. `partial`: the stream broke off, what it had said
 * until then counts. `unknown`: a response began and said nothing of usage; the upper bound is charged. `none`: the
 * request was refused, nothing is billed.
 */
export type Billing = 'reported' | 'partial' | 'unknown' | 'none';

interface Billed {
  /** Tokens as reported; null when nothing was reported, which is not the same as zero. */
  readonly usage: Usage | null;
  readonly billing: Billing;
  readonly requestId: string | null;
  /** `max_tokens` of the request. */
  readonly maxTokens: number;
  readonly durationMs: number;
  /** Interjections that the request carried, counted from the start of the run. */
  readonly heard: number;
}

/** A request that got a response. */
interface Responded extends Billed {
  readonly message: AssistantMessage;
  /** Text that a summary request appended to the history; the response answers it. */
  readonly instruction: string | null;
}

/** A call as the model made it and as the rules judged it. */
export interface ToolCall extends CallHead {
  readonly input: unknown;
  /** `none`: it only reads, and may run beside others. */
  readonly effects: 'none' | 'some';
  /** For verdicts `deny` and `invalid`: what the model is told. */
  readonly refusal: string | null;
}

interface Calling {
  readonly calls: readonly ToolCall[];
}

/** Why a request failed. */
export interface ModelFailure {
  /** HTTP status, or null when there was none or the failure came later than the headers. */
  readonly status: number | null;
  /** `error.type` of the API's body, where there was one. */
  readonly errorType: string | null;
  /** One line for people, secrets masked. */
  readonly message: string;
  /** What the server asked for, in milliseconds. */
  readonly retryAfterMs: number | null;
}

/** How a tool call ended. `content` is written for the model: all but `succeeded` are sent as errors. */
export type ToolOutcome =
  | { readonly kind: 'succeeded'; readonly content: string }
  | { readonly kind: 'failed'; readonly content: string }
  | { readonly kind: 'denied'; readonly content: string }
  | { readonly kind: 'timed_out'; readonly content: string; readonly afterMs: number }
  | { readonly kind: 'interrupted'; readonly content: string }
  | { readonly kind: 'not_run'; readonly content: string };

/** What the machine reads of a fact, and in place of its opaque parts what they really are. */
type With<Head, Body> = Omit<Head, keyof Body> & Body;

/** Everything that can happen. Each is in the past tense, recorded before the machine takes it. */
export type Fact =
  | With<ModelAnswered, Responded & Calling>
  | With<ModelCalledTools, Responded & Calling>
  | (ModelPaused & Responded)
  | With<ModelTruncated, Responded & Calling>
  | (ModelRefused & Responded)
  | (ModelOverflowed & Responded)
  | (ModelFailed & Billed & { readonly failure: ModelFailure; readonly delayMs: number | null })
  | RetryDue
  | (ApprovalDecided & {
      /** `person`, `always` (a person, earlier), `flag`, `host`, `nobody`. */
      readonly by: string;
      readonly reason: string | null;
      /** What runs instead of the model's input. */
      readonly edited: { readonly input: unknown; readonly inputHash: string } | null;
    })
  | ToolStarted
  | With<ToolFinished, { readonly outcome: ToolOutcome; readonly durationMs: number }>
  | LimitRaised
  | LimitKept
  | (UserInterjected & { readonly text: string })
  | (RunAborted & { readonly by: string; readonly usage: Usage | null; readonly billing: Billing });

export type FactOf<Type extends Fact['type']> = Extract<Fact, { readonly type: Type }>;

// ---- The journal ----------------------------------------------------------------------------------------------------

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
  readonly limits: Limits;
  readonly onLimit: OnLimit;
  readonly timeoutMs: number | null;
  readonly rules: readonly Rule[];
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

/** The first line of every later segment. */
export interface SegmentStart {
  readonly type: 'run.resumed';
  readonly at: string;
  readonly limits: Limits;
  readonly model: string;
  readonly message: string | null;
}

export type RecordedFact = Fact & { readonly at: string };
export type JournalLine = JournalHeader | SegmentStart | RecordedFact | SegmentEnd;

// ---- Ports ----------------------------------------------------------------------------------------------------------

/** USD per million tokens. Above `threshold` prompt tokens, where there is one, the whole request has other prices. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly above?: { readonly promptTokens: number; readonly price: Price };
}

/** A permission rule. Deny beats ask beats allow; without a match tools with effects are asked for. */
export interface Rule {
  readonly tool: string;
  readonly verdict: Exclude<Verdict, 'invalid'>;
}

export type ModelReply =
  | {
      readonly kind: 'message';
      readonly message: AssistantMessage;
      readonly usage: Usage | null;
      readonly requestId: string | null;
      /** Ids of calls whose input was no JSON, and what it was. Their block holds `{ INVALID_JSON: raw }`. */
      readonly malformedInputs: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'failed';
      readonly failure: ModelFailure;
      readonly isRetryable: boolean;
      readonly reason: 'model_failed' | 'context_window';
      readonly usage: Usage | null;
      readonly billing: Exclude<Billing, 'reported'>;
      readonly requestId: string | null;
    }
  /** The signal fired first. `usage` is what the stream had reported by then. */
  | {
      readonly kind: 'aborted';
      readonly usage: Usage | null;
      readonly billing: Exclude<Billing, 'reported'>;
    };

/** What is seen while a response streams. Never recorded; a failed attempt's text is followed by `restarted`. */
export type Delta =
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'thinking.delta'; readonly text: string }
  | { readonly type: 'tool_input.delta'; readonly name: string; readonly json: string };

export interface Model {
  readonly id: string;
  /** Largest `max_tokens`, and tokens of prompt and output together. */
  readonly limits: { readonly maxTokens: number; readonly contextWindow: number };
  readonly price: Price | null;
  /** Sends one request, once. Never throws and never retries; ends soon after `signal` fires. */
  send(
    request: ModelRequest,
    options: { readonly signal: AbortSignal; readonly onDelta: (delta: Delta) => void },
  ): Promise<ModelReply>;
}

/** What the rules and the schema say of a call before it is asked for or run. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly effects: 'none' | 'some';
  /** For `deny` and `invalid`: what the model is told. */
  readonly refusal: string | null;
}

export interface Toolbox {
  readonly definitions: readonly ToolDefinition[];
  /** Never throws. `malformed`: the raw text where the input was no JSON. */
  judge(name: string, input: unknown, malformed?: string): Judgement;
  /** Never throws: every ending is an outcome. After `signal` it ends as `interrupted`, with what there is so far. */
  run(
    call: { readonly id: string; readonly name: string; readonly input: unknown },
    signal: AbortSignal,
  ): Promise<ToolOutcome>;
}

export type Decision =
  | { readonly decision: 'approve'; readonly by: string; readonly edited?: unknown }
  | { readonly decision: 'deny'; readonly by: string; readonly reason: string | null }
  /** Stop the run. */
  | { readonly decision: 'quit'; readonly by: string }
  /** Nobody can say now; the run ends and waits. */
  | { readonly decision: 'wait' };

export interface Approver {
  /** Throwing or timing out is a denial. */
  decide(call: ToolCall, signal: AbortSignal): Promise<Decision>;
  /** At the turn limit: how many more turns? 0 is none. Absent: nobody can be asked. */
  raiseLimit?(turns: number, signal: AbortSignal): Promise<number>;
}

export interface Journal {
  /** Resolves when the line is flushed. Rejects when it could not be: the run then stops before its next effect. */
  append(line: JournalLine): Promise<void>;
}

export interface Clock {
  /** Wall time, ISO 8601 in UTC. */
  date(): string;
  /** Monotonic milliseconds. */
  now(): number;
  /** Resolves after `ms`, or as soon as `signal` fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** 0 ≤ x < 1 */
  random(): number;
}

export interface Ports {
  readonly model: Model;
  readonly toolbox: Toolbox;
  readonly approver: Approver;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Told of deltas as they come. What it throws is reported once and changes nothing. */
  readonly onDelta: (delta: Delta) => void;
  /** What the loop itself says to the model. */
  readonly texts: LoopTexts;
}

/** Texts that the loop, not a tool, writes for the model. */
export interface LoopTexts {
  readonly name: string;
  readonly summary: (cause: 'max_turns' | 'budget' | 'stuck') => string;
  readonly notRun: (
    cause: 'max_turns' | 'budget' | 'stuck' | 'deadline' | 'max_tokens' | 'aborted' | 'end_turn' | 'summary',
  ) => string;
  readonly denied: (tool: string, by: string, reason: string | null) => string;
  readonly interrupted: (tool: string) => string;
  readonly edited: (input: string) => string;
}
