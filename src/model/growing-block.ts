/** One content block while it streams. Unknown types are kept as they are, unknown deltas change nothing. */
import type { ContentBlock, Delta } from '../ports.ts';
import { isObject, wellFormed, type JsonObject } from './json.ts';
import { readToolInput } from './tool-input.ts';

export interface GrowingBlock {
  readonly index: number;
  readonly block: ContentBlock;
  /** Fragments of a tool call's input so far. */
  readonly json: string;
}

export function addDelta(growing: GrowingBlock, delta: JsonObject): GrowingBlock {
  const { block, json } = growing;
  // On a block of another type it would make one that the API does not take back.
  if (isForeign(block, delta)) return growing;
  switch (delta['type']) {
    case 'text_delta':
      return { ...growing, block: { ...block, text: stringOf(block['text']) + stringOf(delta['text']) } };
    case 'thinking_delta':
      return {
        ...growing,
        block: { ...block, thinking: stringOf(block['thinking']) + stringOf(delta['thinking']) },
      };
    case 'signature_delta':
      return { ...growing, block: { ...block, signature: delta['signature'] } };
    case 'input_json_delta':
      return { ...growing, json: json + stringOf(delta['partial_json']) };
    case 'citations_delta':
      return {
        ...growing,
        block: { ...block, citations: [...listOf(block['citations']), delta['citation']] },
      };
    case 'compaction_delta':
      // Holds the final values.
      return { ...growing, block: { ...block, ...delta, type: block.type } };
    default:
      return growing;
  }
}

/** What these deltas grow; `call` is a call of every kind, the server's own too. */
const GROWS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  citations_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
  input_json_delta: 'call',
  compaction_delta: 'compaction',
};

/** Types that we do not know may grow by any delta. */
function isForeign({ type }: ContentBlock, delta: JsonObject): boolean {
  const grown = GROWS[String(delta['type'])];
  const kind = isCall({ type }) ? 'call' : type;
  return grown !== undefined && grown !== kind && KNOWN.has(kind);
}

const KNOWN = new Set(['text', 'thinking', 'redacted_thinking', 'compaction', 'call']);

/** What an observer is told of a delta, if anything. */
export function observedDelta({ block }: GrowingBlock, delta: JsonObject): Delta | null {
  if (isForeign(block, delta)) return null;
  switch (delta['type']) {
    case 'text_delta':
      return { type: 'text.delta', text: stringOf(delta['text']).toWellFormed() };
    case 'thinking_delta':
      return { type: 'thinking.delta', text: stringOf(delta['thinking']).toWellFormed() };
    case 'input_json_delta':
      return {
        type: 'tool_input.delta',
        name: stringOf(block['name']).toWellFormed(),
        json: stringOf(delta['partial_json']).toWellFormed(),
      };
    default:
      return null;
  }
}

/** The block as it goes into the message, and the input that was no JSON. */
export function finishBlock({ block, json }: GrowingBlock): {
  readonly block: ContentBlock;
  readonly malformed: string | null;
} {
  if (!isCall(block) && json === '') return { block: sound(block), malformed: null };
  const { input, malformed } = readToolInput(json, block['input']);
  return { block: { ...sound({ ...block, input: null }), input }, malformed };
}

/** `tool_use`, and the calls that the server itself runs. */
const isCall = ({ type }: Pick<ContentBlock, 'type'>): boolean => type.endsWith('tool_use');

const sound = (block: ContentBlock): ContentBlock => {
  const copy = wellFormed(block);
  return { ...(isObject(copy) ? copy : {}), type: block.type };
};

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
