/** Signatures of thinking blocks: opaque to clients, bound to the model and to everything before the block. */
import { createHash } from 'node:crypto';
import type { Body } from './usage.ts';

export class Signatures {
  readonly #issued = new Map<string, string>();

  /** A signature for a block that answers `body`. */
  issue(body: Body, thinking: string): string {
    const prefix = prefixOf(body, Array.isArray(body['messages']) ? body['messages'] : []);
    const signature = Buffer.from(hash([prefix, thinking])).toString('base64');
    this.#issued.set(signature, prefix);
    return signature;
  }

  /** Place of the first block of ours that came back in another conversation, or null. Foreign ones are not judged. */
  mismatch(body: Body): string | null {
    const messages: readonly unknown[] = Array.isArray(body['messages']) ? body['messages'] : [];
    for (const [index, message] of messages.entries()) {
      for (const [position, block] of contentOf(message).entries()) {
        const signature = fieldOf(block, 'signature');
        const prefix = typeof signature === 'string' ? this.#issued.get(signature) : undefined;
        if (prefix !== undefined && prefix !== prefixOf(body, messages.slice(0, index))) {
          return `messages.${index}.content.${position}`;
        }
      }
    }
    return null;
  }
}

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null && field in value
    ? Object.entries(value).find(([name]) => name === field)?.[1]
    : undefined;

function contentOf(message: unknown): readonly unknown[] {
  const content = fieldOf(message, 'content');
  return Array.isArray(content) ? content : [];
}

const prefixOf = ({ model, system, tools }: Body, before: readonly unknown[]): string =>
  hash([model, system ?? null, tools ?? null, before]);

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');
