/**
 * How the server counts. A token is four bytes of UTF-8, rounded up for each text; a message costs four more, tools
 * cost the 286 that the API adds. A prefix of 512 tokens or more that ends at a `cache_control` is written, and read by
 * later requests that have a breakpoint at its end or up to 19 blocks behind it.
 */
import { createHash } from 'node:crypto';
import type { Block } from './reply.ts';
import { isFields, listOf } from '../verify/api/values.ts';

const BYTES_A_TOKEN = 4;
const MESSAGE_TOKENS = 4;
const TOOLS_TOKENS = 286;
const MIN_CACHED_TOKENS = 512;
const LOOK_BACK_BLOCKS = 20;

const tokensOf = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(typeof value === 'string' ? value : jsonOf(value)) / BYTES_A_TOKEN);

export interface Body {
  readonly [field: string]: unknown;
}

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
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
}

/** Remembers the prefixes that were written: per server, without expiry. */
export class PromptCache {
  readonly #written = new Set<string>();

  /** Usage of a prompt: nothing behind its last breakpoint is read or written. */
  use(body: Body): PromptUsage {
    const prefixes = prefixesOf(body);
    const marked = [...prefixes.entries()].filter(
      ([, { ttl, prompt }]) => ttl !== null && promptTokensOf(prompt) >= MIN_CACHED_TOKENS,
    );
    const read = Math.max(0, ...marked.map(([at]) => this.#readable(prefixes, at)));
    const written = { '5m': 0, '1h': 0 };
    let cached = read;
    for (const [, { prompt, ttl }] of marked) {
      const tokens = promptTokensOf(prompt);
      written[ttl === '1h' ? '1h' : '5m'] += Math.max(0, tokens - cached);
      cached = Math.max(cached, tokens);
      this.#written.add(keyOf(prompt));
    }
    return {
      input_tokens: promptTokensOf(body) - cached,
      cache_creation_input_tokens: written['5m'] + written['1h'],
      cache_read_input_tokens: read,
      cache_creation: {
        ephemeral_5m_input_tokens: written['5m'],
        ephemeral_1h_input_tokens: written['1h'],
      },
    };
  }

  /** Tokens of the longest prefix that was written, of the 20 that end at a breakpoint. */
  #readable(prefixes: readonly Prefix[], at: number): number {
    const found = prefixes
      .slice(Math.max(0, at + 1 - LOOK_BACK_BLOCKS), at + 1)
      .findLast(({ prompt }) => this.#written.has(keyOf(prompt)));
    return found === undefined ? 0 : promptTokensOf(found.prompt);
  }
}

/** A prompt up to the end of one of its blocks. `ttl`: of the breakpoint there, or null. */
interface Prefix {
  readonly prompt: Body;
  readonly ttl: unknown;
}

/** In the order of the cache: tools, system, messages. A breakpoint of the whole request stands at the end. */
function prefixesOf(body: Body): readonly Prefix[] {
  const { model, tools, system } = body;
  const prefixes = [
    ...listOf(tools).map((tool, index, all) => prefix({ model, tools: all.slice(0, index + 1) }, tool)),
    ...partsOf(system).map(([block, upTo]) => prefix({ model, tools, system: upTo }, block)),
    ...listOf(body['messages']).flatMap((message, index, all) =>
      partsOf(fieldsOf(message)['content']).map(([block, content]) => {
        const messages = [...all.slice(0, index), { ...fieldsOf(message), content }];
        return prefix({ model, tools, system, messages }, block);
      }),
    ),
  ];
  const whole = ttlOf(body);
  return prefixes.map((each, index) =>
    whole !== null && index === prefixes.length - 1 ? { ...each, ttl: whole } : each,
  );
}

const prefix = (prompt: Body, last: unknown): Prefix => ({ prompt, ttl: ttlOf(fieldsOf(last)) });

const fieldsOf = (value: unknown): Body => (isFields(value) ? value : {});

/** Each block of a content, and the content up to it. */
function partsOf(content: unknown): readonly (readonly [unknown, unknown])[] {
  if (typeof content === 'string') return [[content, content]];
  return listOf(content).map((block, index, all) => [block, all.slice(0, index + 1)]);
}

const ttlOf = ({ cache_control: marker }: Body): unknown =>
  isFields(marker) ? (marker['ttl'] ?? '5m') : null;

function keyOf({ model, system, tools, messages }: Body): string {
  const told = listOf(messages).map((message) => ({
    ...fieldsOf(message),
    content: blocksOf(fieldsOf(message)['content']),
  }));
  return createHash('sha256')
    .update(jsonOf([model, tools, blocksOf(system), told]))
    .digest('hex');
}

/** A string is short for one block of text. */
const blocksOf = (content: unknown): unknown =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** Without breakpoints, which may move: they are no part of what the model reads. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (key, field: unknown) => (key === 'cache_control' ? undefined : field));
