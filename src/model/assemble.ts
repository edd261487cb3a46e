/**
 * A response, assembled from the events of its stream: a fold. Why not by the SDK:
 * docs/decisions/assemble-streams-ourselves.md.
 */
import type { AssistantMessage, ContentBlock } from '../ports.ts';
import { addDelta, finishBlock, type GrowingBlock } from './growing-block.ts';
import { isObject, wellFormed, type JsonObject } from './json.ts';
import { mergeUsage } from './usage.ts';

export interface Assembly {
  /** `message` of `message_start`; null before it. */
  readonly start: JsonObject | null;
  readonly blocks: readonly GrowingBlock[];
  /** The block that has begun and not stopped. */
  readonly open: GrowingBlock | null;
  /** `stop_reason` and its companions, as far as they were said. */
  readonly stop: JsonObject;
  readonly usage: JsonObject | null;
  /** `message_stop` has come: the response is whole. */
  readonly isComplete: boolean;
  readonly fault: Fault | null;
}

/** Why the stream cannot become a message. */
export interface Fault {
  /** `error.type` of an `error` event; null where the stream broke the rules. */
  readonly errorType: string | null;
  readonly message: string;
  readonly requestId: string | null;
}

export const emptyAssembly: Assembly = {
  start: null,
  blocks: [],
  open: null,
  stop: {},
  usage: null,
  isComplete: false,
  fault: null,
};

/** Takes the next event. Events that say nothing of the message (pings, unknown ones) leave the very same object. */
export function addEvent(assembly: Assembly, event: JsonObject): Assembly {
  switch (event['type']) {
    case 'message_start':
      return startMessage(assembly, event['message']);
    case 'content_block_start':
      return startBlock(assembly, event['index'], event['content_block']);
    case 'content_block_delta':
      return growBlock(assembly, event['index'], event['delta']);
    case 'content_block_stop':
      return { ...assembly, open: null };
    case 'message_delta':
      return assembly.start === null ? outOfOrder(assembly, event) : addMessageDelta(assembly, event);
    case 'message_stop':
      return assembly.start === null ? outOfOrder(assembly, event) : { ...assembly, isComplete: true };
    case 'error':
      return { ...assembly, fault: reportedFault(event) };
    default:
      return assembly;
  }
}

export const withFault = (assembly: Assembly, message: string): Assembly => ({
  ...assembly,
  fault: { errorType: null, message, requestId: null },
});

/** The message of a complete assembly. Content is as it was sent, but for lone surrogates and malformed tool input. */
export function finish({ start, blocks, stop }: Assembly): {
  readonly message: AssistantMessage;
  readonly malformedInputs: Readonly<Record<string, string>>;
} {
  const finished = blocks.toSorted((a, b) => a.index - b.index).map(finishBlock);
  return {
    message: {
      id: stringOr(start?.['id'], ''),
      model: stringOr(start?.['model'], ''),
      content: finished.map(({ block }) => block),
      stopReason: stringOr(stop['stop_reason'], null),
      stopSequence: stringOr(stop['stop_sequence'], null),
      stopDetails: wellFormed(stop['stop_details'] ?? null),
    },
    malformedInputs: Object.fromEntries(
      finished.flatMap(({ block, malformed }) =>
        malformed === null ? [] : [[String(block['id']), malformed]],
      ),
    ),
  };
}

function startMessage(assembly: Assembly, message: unknown): Assembly {
  if (assembly.start !== null)
    return withFault(assembly, 'The stream began a second message inside the first.');
  if (!isObject(message)) return withFault(assembly, 'The stream began without a message.');
  // Usually empty. A resumed programmatic tool call comes whole in here, its stop reason too.
  const content: readonly unknown[] = Array.isArray(message['content']) ? message['content'] : [];
  return {
    ...assembly,
    start: message,
    blocks: content.filter(isBlock).map((block, index) => ({ index, block, json: '' })),
    stop: stopOf(message),
    usage: mergeUsage(null, message['usage']),
  };
}

function startBlock(assembly: Assembly, index: unknown, block: unknown): Assembly {
  if (assembly.start === null)
    return withFault(assembly, 'The stream sent content before its message began.');
  if (typeof index !== 'number' || !isBlock(block))
    return withFault(assembly, 'The stream began a block without a type or an index.');
  if (blockAt(assembly, index)) return withFault(assembly, `The stream began block ${index} twice.`);
  const open = { index, block, json: '' };
  return { ...assembly, blocks: [...assembly.blocks, open], open };
}

function growBlock(assembly: Assembly, index: unknown, delta: unknown): Assembly {
  const block = blockAt(assembly, index);
  // Left out, it would be content that was lost without a word.
  if (!block) return withFault(assembly, 'The stream went on with a block that had not begun.');
  const open = addDelta(block, isObject(delta) ? delta : {});
  return { ...assembly, blocks: assembly.blocks.map((other) => (other === block ? open : other)), open };
}

const addMessageDelta = (assembly: Assembly, event: JsonObject): Assembly => ({
  ...assembly,
  stop: { ...assembly.stop, ...stopOf(event['delta']) },
  usage: mergeUsage(assembly.usage, event['usage']),
});

const outOfOrder = (assembly: Assembly, event: JsonObject): Assembly =>
  withFault(assembly, `The stream sent ${String(event['type'])} before its message began.`);

function reportedFault(event: JsonObject): Fault {
  const error = isObject(event['error']) ? event['error'] : {};
  return {
    errorType: stringOr(error['type'], null),
    message: stringOr(error['message'], 'The server reported an error.'),
    requestId: stringOr(event['request_id'], null),
  };
}

const stopFields = ['stop_reason', 'stop_sequence', 'stop_details'] as const;

/** Null means "not said yet" and must not erase what was. */
function stopOf(source: unknown): JsonObject {
  if (!isObject(source)) return {};
  return Object.fromEntries(
    stopFields.flatMap((field) =>
      source[field] === null || source[field] === undefined ? [] : [[field, source[field]]],
    ),
  );
}

export const blockAt = ({ blocks }: Assembly, index: unknown): GrowingBlock | undefined =>
  blocks.find((block) => block.index === index);

const isBlock = (value: unknown): value is ContentBlock =>
  isObject(value) && typeof value['type'] === 'string';

const stringOr = <Other>(value: unknown, other: Other): string | Other =>
  typeof value === 'string' ? value.toWellFormed() : other;
