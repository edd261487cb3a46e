/** Signatures of thinking blocks: opaque to clients, bound to the model and to everything before the block. */
import { createHash } from 'node:crypto';
import type { Body } from './usage.ts';

/** What is wrong with the thinking of a request, as the API says it; null: nothing. */
export type ThinkingFault = string | null;

interface Issued {
  readonly model: string;
  /** Of system, tools and all messages before. */
  readonly prefix: string;
}

/** Ours begin so: what does and was not issued has been tampered with. Foreign ones are not judged. */
const MARK = 'dHVybnN0aWxl';

/** Models whose blocks hold only behind the very conversation that they were made in. */
const BOUND = /^claude-(opus-5-5|sonnet-5-5|fable-5-[12]|mythos-5-[12])/;

const MODIFIED =
  '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.';

export class Signatures {
  readonly #issued = new Map<string, Issued>();
  /** By prefix: the signatures of each response that followed it. */
  readonly #responses = new Map<string, readonly (readonly string[])[]>();

  /** Signatures for the blocks of one response to `body`, in order. */
  issue(body: Body, thoughts: readonly string[]): readonly string[] {
    const prefix = prefixOf(body, messagesOf(body));
    const signatures = thoughts.map((thinking, index) => MARK + hash([prefix, index, thinking]));
    for (const signature of signatures) this.#issued.set(signature, { model: String(body['model']), prefix });
    this.#responses.set(prefix, [...(this.#responses.get(prefix) ?? []), signatures]);
    return signatures;
  }

  faultOf(body: Body): ThinkingFault {
    const messages = messagesOf(body);
    for (const [index, message] of messages.entries()) {
      for (const [position, block] of contentOf(message).entries()) {
        const fault = this.#blockFault(block, body, messages.slice(0, index));
        if (fault !== null) return `messages.${index}.content.${position}: ${fault}`;
      }
    }
    return this.#latestFault(body, messages);
  }

  #blockFault(block: unknown, body: Body, before: readonly unknown[]): ThinkingFault {
    const signature = fieldOf(block, 'signature');
    if (typeof signature !== 'string' || !signature.startsWith(MARK)) return null;
    const issued = this.#issued.get(signature);
    if (issued === undefined) return 'Invalid `signature` in `thinking` block';
    const model = String(body['model']);
    // Blocks of another model are dropped without a word.
    const isJudged = issued.model === model && BOUND.test(model) && !dropsMismatches(body);
    if (!isJudged || issued.prefix === prefixOf(body, before)) return null;
    return 'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
  }

  /** While its calls are being answered, the last response has its thoughts where it had them. */
  #latestFault(body: Body, messages: readonly unknown[]): ThinkingFault {
    const index = messages.findLastIndex((message) => fieldOf(message, 'role') === 'assistant');
    const blocks = contentOf(messages[index]);
    const firstCall = blocks.findIndex((block) => fieldOf(block, 'type') === 'tool_use');
    const responses = this.#responses.get(prefixOf(body, messages.slice(0, Math.max(0, index)))) ?? [];
    if (firstCall < 0 || responses.length === 0) return null;
    const all = signaturesIn(blocks);
    // Our replies think before they call.
    const isKept =
      responses.some((signatures) => signatures.join(' ') === all) &&
      all === signaturesIn(blocks.slice(0, firstCall));
    return isKept ? null : `messages.${index}.content.0: ${MODIFIED}`;
  }
}

const signaturesIn = (blocks: readonly unknown[]): string =>
  blocks
    .map((block) => fieldOf(block, 'signature'))
    .filter((value) => typeof value === 'string')
    .join(' ');

function dropsMismatches({ thinking }: Body): boolean {
  const binding = fieldOf(thinking, 'block_binding');
  return fieldOf(binding, 'prefix_mismatch_behavior') === 'drop_block';
}

const messagesOf = ({ messages }: Body): readonly unknown[] => (Array.isArray(messages) ? messages : []);

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null && field in value
    ? Object.entries(value).find(([name]) => name === field)?.[1]
    : undefined;

function contentOf(message: unknown): readonly unknown[] {
  const content = fieldOf(message, 'content');
  return Array.isArray(content) ? content : [];
}

const prefixOf = ({ system, tools }: Body, before: readonly unknown[]): string =>
  hash(normal([{ content: system ?? null }, tools ?? null, before]));

/** The same text in two spellings is the same, and markers of the cache are no part of it. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field]) => field !== 'cache_control')
      .map(([field, inner]) => [
        field,
        field === 'content' && typeof inner === 'string' ? [{ type: 'text', text: inner }] : normal(inner),
      ]),
  );
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64');
