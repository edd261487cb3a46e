import { anthropic, type AnthropicOptions } from '../../src/model/anthropic.ts';
import type { Delta, ModelReply } from '../../src/ports.ts';
import { request, serve, type Answer, type Served } from './serve.ts';

export interface Asked extends Served {
  readonly reply: ModelReply;
  readonly deltas: readonly Delta[];
}

/** Sends one request to a server that answers so. */
export async function ask(answer: Answer, options: AnthropicOptions = {}): Promise<Asked> {
  const served = await serve(answer);
  const deltas: Delta[] = [];
  const model = anthropic('claude-haiku-5-5', {
    apiKey: 'sk-test-0123456789',
    baseURL: served.url,
    ...options,
  });
  const reply = await model.send(request, {
    signal: new AbortController().signal,
    onDelta: (delta) => deltas.push(delta),
  });
  return { ...served, reply, deltas };
}

/** The reply, as the failure that it must be. */
export function failedOf(reply: ModelReply): Extract<ModelReply, { readonly kind: 'failed' }> {
  if (reply.kind !== 'failed') throw new Error(`Not failed: ${JSON.stringify(reply)}`);
  return reply;
}
