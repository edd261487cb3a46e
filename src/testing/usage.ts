/**
 * How the server counts. A token is four bytes of UTF-8, rounded up for each text; a message costs four more, tools
 * cost the 286 that the API adds. With `cache_control` a prefix of 512 tokens or more is written, and read later on.
 */
import { createHash } from 'node:crypto';
import type { Block } from './reply.ts';

const BYTES_A_TOKEN = 4;
const MESSAGE_TOKENS = 4;
const TOOLS_TOKENS = 286;
const MIN_CACHED_TOKENS = 512;

const tokensOf = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / BYTES_A_TOKEN);

export interface Body {
  readonly [field: string]: unknown;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Tokens of the whole prompt. */
export function promptTokensOf({ system, tools, messages }: Body): number {
  const ofTools = listOf(tools).length === 0 ? 0 : TOOLS_TOKENS + tokensOf(tools);
  const ofMessages = listOf(messages).reduce<number>(
    (sum, message) => sum + MESSAGE_TOKENS + tokensOf(message),
    0,
  );
  return (system === undefined ? 0 : tokensOf(system)) + ofTools + ofMessages;
}

export const outputTokensOf = (content: readonly Block[]): number =>
  content.reduce((sum, block) => sum + tokensOf(block), 1);

export interface PromptUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

/** Remembers the prefixes that were written: per server, without expiry. */
export class PromptCache {
  readonly #written = new Set<string>();

  /** Usage of a prompt; only a request that marks a breakpoint reads or writes. */
  use(body: Body): PromptUsage {
    const total = promptTokensOf(body);
    if (!JSON.stringify(body).includes('"cache_control"') || total < MIN_CACHED_TOKENS) {
      return { input_tokens: total, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    }
    const messages = listOf(body['messages']);
    let read = 0;
    for (let length = messages.length; length > 0 && read === 0; length -= 1) {
      const prefix = { ...body, messages: messages.slice(0, length) };
      if (this.#written.has(keyOf(prefix))) read = promptTokensOf(prefix);
    }
    this.#written.add(keyOf(body));
    return { input_tokens: 0, cache_creation_input_tokens: total - read, cache_read_input_tokens: read };
  }
}

function keyOf({ model, system, tools, messages }: Body): string {
  // A breakpoint may move without changing what is cached.
  const json = JSON.stringify([model, system, tools, messages], (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
  return createHash('sha256').update(json).digest('hex');
}
