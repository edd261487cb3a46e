/** Facts: everything that can happen in a run, each recorded in the journal before the machine takes it. */
import type { Confinement } from './sandbox/types.ts';
import type {
  ApprovalDecided,
  CallHead,
  JudgedAnew,
  LimitKept,
  LimitRaised,
  ModelAnswered,
  ModelCalledTools,
  ModelFailed,
  ModelOverflowed,
  ModelPaused,
  ModelRefused,
  ModelTruncated,
  RetryDue,
  RunAborted,
  RunResumed,
  ToolFinished,
  ToolStarted,
  UserInterjected,
  Verdict,
} from '../machines/index.ts';

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
  readonly rule?: DecidingRule;
}

/**
 * What the verdict on a call comes from: a rule, as its text (`deny run_python(code*=os)`), `beforeTool` or `approveAll` for
 * what the host says. Null: the default of tools of its kind. Journals of before have none.
 */
export type DecidingRule = string | null;

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

/** USD per million tokens. Above `threshold` prompt tokens, where there is one, the whole request has other prices. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly above?: { readonly promptTokens: number; readonly price: Price };
}

/**
 * A permission rule. Deny beats ask beats allow, in whatever order they stand; where none decides, tools with effects
 * are asked for.
 */
export interface Rule {
  /** Name of a tool, or `*` for all. */
  readonly tool: string;
  readonly verdict: Exclude<Verdict, 'invalid'>;
  /** Calls that it is about. All of the tool, where it is left out. */
  readonly match?: Matcher;
}

/**
 * What a rule asks of one argument of the input. `glob`: a path relative to the workspace. `contains`: a piece of the
 * text. `regex`: RE2 syntax, found anywhere. `atLeast`, `atMost`: length in characters.
 */
export type Matcher = { readonly argument: string } & (
  | { readonly glob: string }
  | { readonly contains: string }
  | { readonly regex: string }
  | { readonly atLeast: number }
  | { readonly atMost: number }
);

/** The request that was under way when the run was aborted, or its process died; null and nothing where there was none. */
export interface AbortedRequest {
  readonly abortedRequest: 'turn' | 'summary' | null;
  readonly usage: Usage | null;
  readonly billing: Billing;
  readonly durationMs: number;
}

/** How a tool call ended. `content` is written for the model: all but `succeeded` are sent as errors. */
export type ToolOutcome = ToolEnding & {
  /** Name of the file with the whole output, where it was cut and kept for people. The model is not told of it. */
  readonly outputFile?: string;
};

type ToolEnding =
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
      /** Added by a person for the rest of the run: with this decision (`person`), or with an earlier one (`always`). */
      readonly rule?: string;
    })
  | ToolStarted
  | With<ToolFinished, { readonly outcome: ToolOutcome; readonly durationMs: number }>
  | LimitRaised
  | LimitKept
  | (UserInterjected & { readonly text: string })
  | (RunAborted & AbortedRequest & { readonly by: string })
  | With<RunResumed, AbortedRequest & Resumption>;

/** What holds from here on, and what the user says. A run that had stopped takes no other fact. */
interface Resumption {
  readonly model: string;
  readonly price: Price | null;
  readonly rules: readonly Rule[];
  /** Working time of this segment; null: no limit. */
  readonly timeoutMs: number | null;
  /** Folder that the tools see from here on, and how those that run something are confined. Without them: as before. */
  readonly workdir?: string | null;
  readonly confinements?: Readonly<Record<string, Confinement>>;
  /** What no request has carried yet: said too late for the earlier segment, or said with the resumption. */
  readonly words: readonly string[];
  readonly judgements: readonly (JudgedAnew & Pick<ToolCall, 'refusal' | 'rule'>)[];
}

export type FactOf<Type extends Fact['type']> = Extract<Fact, { readonly type: Type }>;
