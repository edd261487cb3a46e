/**
 * Read this first. Everything that happens in a run is a **fact**; facts come from effects, and effects reach the world
 * only through the ports below. The machine (`machines/`) decides what is next, `src/run.ts` lets the two talk.
 *
 * Facts stand in `src/facts.ts`, the other lines of a journal in `src/journal-lines.ts`.
 */
import type { Verdict } from '../machines/index.ts';
import type {
  AssistantMessage,
  Billing,
  DecidingRule,
  ModelFailure,
  ModelRequest,
  Price,
  ToolCall,
  ToolDefinition,
  ToolOutcome,
  Usage,
} from './facts.ts';
import type { JournalLine } from './journal-lines.ts';

export type { Confinement } from './sandbox/types.ts';

export type {
  ContentBlock,
  Message,
  AssistantMessage,
  Usage,
  ToolDefinition,
  ModelRequest,
  AbortedRequest,
  Billing,
  DecidingRule,
  ToolCall,
  ModelFailure,
  ToolOutcome,
  Fact,
  FactOf,
  Matcher,
  Price,
  Rule,
} from './facts.ts';
export type {
  JournalHeader,
  Outcome,
  TotalUsage,
  Waiting,
  RunResult,
  SegmentEnd,
  RecordedFact,
  JournalLine,
} from './journal-lines.ts';

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
  readonly rule?: DecidingRule;
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
  /** What a call would change, for whoever is asked; null where that cannot be told. Changes nothing, never throws. */
  preview?(
    call: { readonly id: string; readonly name: string; readonly input: unknown },
    signal: AbortSignal,
  ): Promise<string | null>;
}

/** What the call that is asked for would change with this input (a person may edit it); null where nobody can tell. */
export type Preview = (input: unknown) => Promise<string | null>;
/** Judges a call after the rules. Never throws; the answer is what holds. */
export type BeforeToolPort = (
  call: Pick<ToolCall, 'id' | 'name' | 'input' | 'effects' | 'verdict' | 'rule'>,
  judgement: Judgement,
  signal: AbortSignal,
) => Promise<Judgement>;

export type Decision =
  | {
      readonly decision: 'approve';
      readonly by: string;
      readonly edited?: unknown;
      /** A rule that a person added for the rest of the run, with this decision or with an earlier one. */
      readonly rule?: string;
    }
  | { readonly decision: 'deny'; readonly by: string; readonly reason: string | null }
  /** Stop the run. */
  | { readonly decision: 'quit'; readonly by: string }
  /** Nobody can say now; the run ends and waits. */
  | { readonly decision: 'wait' };

export interface Approver {
  /** Throwing or timing out is a denial. */
  decide(call: ToolCall, signal: AbortSignal, preview?: Preview): Promise<Decision>;
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
  /** Code of the host that decides as well. */
  readonly beforeTool?: BeforeToolPort;
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
  /** To a run that goes on after the model had its last word, when the user says nothing. */
  readonly goOn: string;
  /** The toolbox itself failed. `message`: one line. */
  readonly broke: (tool: string, message: string) => string;
}
