/** A scripted model in the process, for tests of one's own tools and rules: no server, no key. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContentBlock, Delta, Model, ModelReply, Price } from '../ports.ts';
import { tellSafely } from './observe.ts';
import { parseScript, type ScriptInput } from './parse-script.ts';
import { createScript, type ScriptedReply } from './script.ts';

export interface ScriptedOptions {
  /** Default: `scripted`. */
  readonly id?: string;
  readonly limits?: Model['limits'];
  /** Default: null, not known. */
  readonly price?: Price | null;
  /** Pause before each piece of a response, in milliseconds. Default 0. */
  readonly delayMs?: number;
}

/**
 * A model that plays `turns`, one for each assistant message that the request holds. A turn that fails does so once, or
 * `times` times, over all runs that share the model.
 * @throws {UserError} when the turns are not a script
 */
export function scripted(turns: ScriptInput, options: ScriptedOptions = {}): Model {
  const { id = 'scripted', price = null, delayMs = 0 } = options;
  const play = createScript(parseScript(turns, id));
  return {
    id,
    limits: options.limits ?? { maxTokens: 64_000, contextWindow: 200_000 },
    price,
    async send(request, { signal, onDelta }) {
      const reply = play(request);
      if (reply.kind !== 'message') return signal.aborted ? aborted : failureOf(reply);
      const tell = tellSafely(onDelta, (text) => process.emitWarning(text));
      for (const delta of reply.content.flatMap(deltasOf)) {
        await sleep(delayMs, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return { kind: 'aborted', usage: reply.usage, billing: 'partial' };
        tell(delta);
      }
      return signal.aborted ? aborted : messageOf(reply, request.model);
    },
  };
}

const aborted: ModelReply = { kind: 'aborted', usage: null, billing: 'none' };

const messageOf = (
  { id, content, stopReason, usage }: Extract<ScriptedReply, { readonly kind: 'message' }>,
  model: string,
): ModelReply => ({
  kind: 'message',
  message: { id, model, content, stopReason, stopSequence: null, stopDetails: null },
  usage,
  requestId: null,
  malformedInputs: {},
});

function failureOf(reply: Exclude<ScriptedReply, { readonly kind: 'message' }>): ModelReply {
  const { message } = reply;
  const [status, errorType] = reply.kind === 'failed' ? [reply.status, reply.errorType] : [null, null];
  return {
    kind: 'failed',
    failure: { status, errorType, message, retryAfterMs: null },
    isRetryable: status === 408 || status === 409 || status === 429 || (status ?? 0) >= 500,
    reason: status === 413 ? 'context_window' : 'model_failed',
    usage: null,
    billing: 'none',
    requestId: null,
  };
}

function deltasOf(block: ContentBlock): readonly Delta[] {
  const { type, text, thinking, name, input } = block;
  if (type === 'text') return piecesOf(text).map((piece) => ({ type: 'text.delta', text: piece }));
  if (type === 'thinking')
    return piecesOf(thinking).map((piece) => ({ type: 'thinking.delta', text: piece }));
  return piecesOf(JSON.stringify(input)).map((json) => ({
    type: 'tool_input.delta',
    name: String(name),
    json,
  }));
}

/** Up to eight characters each, none of them cut. */
const piecesOf = (text: unknown): readonly string[] => String(text).match(/.{1,8}/gsu) ?? [];
