/** What a response means: one fact for each way in which a request can end. */
import type { Amount } from '../../machines/index.ts';
import { fitMaxTokens, fits } from '../budget/bounds.ts';
import { costOf } from '../budget/cost.ts';
import { hashOf, isHashable } from '../facts/hash.ts';
import { isToolUse, type ToolUseBlock } from '../history/blocks.ts';
import type { Fact, FactOf, ModelFailure, ModelReply, ModelRequest, Ports, ToolCall } from '../ports.ts';
import { delayOf } from './back-off.ts';
import { faultOfCalls } from './call-faults.ts';
import { NOTHING } from './calls.ts';
import type { RunView } from './effect.ts';
import { judgeCall, type JudgePorts } from './judge-call.ts';

/** A request that was sent, with what the fact about it has to say. */
export interface Asked {
  readonly kind: 'turn' | 'summary';
  readonly request: ModelRequest;
  readonly instruction: string | null;
  /** Upper bound of the request's prompt, in tokens. */
  readonly prompt: number;
  readonly heard: number;
  /** The most that the request can cost: charged when the response says nothing of its usage. */
  readonly worstCost: Amount;
  readonly durationMs: number;
}

type Answer = Extract<ModelReply, { kind: 'message' }>;
type Failure = Extract<ModelReply, { kind: 'failed' }>;

export async function factOf(
  reply: Answer | Failure,
  asked: Asked,
  run: RunView,
  ports: Ports,
  signal: AbortSignal,
): Promise<Fact> {
  if (reply.kind === 'failed') return failed(reply, asked, run, ports);
  return answered(reply, asked, run, ports, await callsIn(reply, run, ports, signal));
}

/** Judged all at once: a program that is slow about each of them is slow once. */
async function callsIn(
  reply: Answer,
  run: RunView,
  ports: Ports,
  signal: AbortSignal,
): Promise<readonly ToolCall[]> {
  const { content, stopReason } = reply.message;
  if (faultIn(content, run) !== null) return [];
  // Of calls that do not count the host is not asked.
  const { beforeTool: _, ...rules } = ports;
  const judges = stopReason === 'tool_use' ? ports : rules;
  return Promise.all(content.filter(isToolUse).map((block) => judged(block, reply, judges, signal)));
}

const faultIn = (content: Answer['message']['content'], run: RunView): string | null =>
  faultOfCalls(content, run) ?? faultOf(content);

function answered(
  reply: Answer,
  asked: Asked,
  run: RunView,
  ports: Ports,
  calls: readonly ToolCall[],
): Extract<Fact, { cost: Amount; heard: number }> {
  const { message } = reply;
  const fact = { ...billed(reply, asked, run), message, instruction: asked.instruction };
  const fails = (text: string) => protocolFailure(text, asked, fact);
  const fault = faultIn(message.content, run);
  switch (message.stopReason) {
    case 'refusal':
      return { ...fact, type: 'model.refused' };
    case 'model_context_window_exceeded':
      return { ...fact, type: 'model.overflowed' };
    case 'max_tokens': {
      const canGrow = hasRoomToGrow(fact.cost, asked, run, ports);
      if (!canGrow && fault !== null) return fails(fault);
      return { ...fact, type: 'model.truncated', calls, canGrow };
    }
    case 'end_turn':
    case 'stop_sequence':
      if (fault !== null) return fails(fault);
      return { ...fact, type: 'model.answered', calls };
    case 'tool_use':
      if (fault !== null) return fails(fault);
      if (calls.length === 0) return fails('stop_reason is tool_use, but there is no tool call');
      return { ...fact, type: 'model.called_tools', calls };
    case 'pause_turn':
      if (fault !== null) return fails(fault);
      if (calls.length > 0) return fails('stop_reason is pause_turn, but a tool call waits for its result');
      return { ...fact, type: 'model.paused' };
    case null:
    default:
      return fails(`stop_reason ${JSON.stringify(message.stopReason)} is not known`);
  }
}

/** A history with this in it could not be sent. */
const faultOf = (content: unknown): string | null =>
  isHashable(content) ? null : 'it holds half a character, or what JSON cannot say';

/** What every fact about a request that got a response says. The bounds follow when it is recorded. */
function billed(reply: Answer, asked: Asked, { header }: RunView) {
  const { usage, requestId } = reply;
  return {
    request: asked.kind,
    usage,
    billing: usage === null ? ('unknown' as const) : ('reported' as const),
    requestId,
    maxTokens: asked.request.max_tokens,
    durationMs: asked.durationMs,
    heard: asked.heard,
    cost: usage === null ? asked.worstCost : costOf(usage, header.price),
    nextCost: NOTHING,
    summaryCost: NOTHING,
  };
}

async function judged(
  block: ToolUseBlock,
  { malformedInputs }: Answer,
  ports: JudgePorts,
  signal: AbortSignal,
): Promise<ToolCall> {
  const { id, name, input } = block;
  // An id may be `constructor`.
  const malformed = Object.hasOwn(malformedInputs, id) ? malformedInputs[id] : undefined;
  const judgement = await judgeCall({ id, name, input }, malformed, ports, signal);
  return { id, name, input, inputHash: hashOf(input), fingerprint: hashOf([name, input]), ...judgement };
}

/** A larger `max_tokens` is possible: the limits, the model and the budget all leave room for more than was sent. */
function hasRoomToGrow(cost: Amount, asked: Asked, { context, header }: RunView, { model }: Ports): boolean {
  if (context.growths >= context.limits.maxGrowths) return false;
  const spent = {
    nanoUsd: context.spent.nanoUsd + cost.nanoUsd,
    tokens: context.spent.tokens + cost.tokens,
  };
  const wanted = Math.min(header.maxTokens * 2 ** (context.growths + 1), model.limits.maxTokens);
  const { prompt, kind } = asked;
  const { price } = header;
  const room = { request: kind, wanted, prompt, price, budget: context.limits.budget, spent };
  const next = fitMaxTokens(room);
  // The smallest one is given whether it fits or not.
  return next > asked.request.max_tokens && fits(room, next);
}

function protocolFailure(
  text: string,
  asked: Asked,
  { usage, billing, requestId, cost }: ReturnType<typeof billed>,
): FactOf<'model.failed'> {
  return failedFact(asked, {
    usage,
    billing,
    requestId,
    cost,
    isRetryable: false,
    reason: 'model_failed',
    failure: {
      status: null,
      errorType: 'protocol',
      message: `The model's response makes no sense: ${text}.`,
      retryAfterMs: null,
    },
    delayMs: null,
  });
}

function failed(reply: Failure, asked: Asked, run: RunView, { clock }: Ports): FactOf<'model.failed'> {
  const { usage, billing, requestId, isRetryable, reason, failure } = reply;
  const known = usage === null ? NOTHING : costOf(usage, run.header.price);
  return failedFact(asked, {
    usage,
    billing,
    requestId,
    cost: billing === 'unknown' ? asked.worstCost : known,
    isRetryable,
    reason,
    failure,
    delayMs: isRetryable ? delayOf(run.context.retries, failure.retryAfterMs, clock.random()) : null,
  });
}

type FailedPart = Pick<
  FactOf<'model.failed'>,
  'usage' | 'billing' | 'requestId' | 'cost' | 'isRetryable' | 'reason' | 'delayMs'
> & { readonly failure: ModelFailure };

const failedFact = (asked: Asked, part: FailedPart): FactOf<'model.failed'> => ({
  type: 'model.failed',
  request: asked.kind,
  maxTokens: asked.request.max_tokens,
  durationMs: asked.durationMs,
  heard: asked.heard,
  nextCost: NOTHING,
  summaryCost: NOTHING,
  ...part,
});
