/** A reply as the events of a stream, in the grammar of the Messages API. Pure: the server sends them. */
import { CUT, PIECES, type Block, type MessageReply } from './reply.ts';
import { outputTokensOf, type PromptUsage } from './usage.ts';

export interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Frame {
  readonly id: string;
  readonly model: string;
  readonly prompt: PromptUsage;
  /** API version 2026-10-21 promises every field; the older one leaves out those without a value. */
  readonly isComplete: boolean;
}

const stopReasonOf = ({ stopReason, content }: MessageReply): string =>
  stopReason ?? (content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn');

const EMPTY_FIELDS = { container: null, stop_details: null, diagnostics: null };

const EMPTY_USAGE = {
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: 'standard',
  speed: null,
};

/** Fields that every block of a type has. */
const EMPTY_BLOCK: Readonly<Record<string, object>> = {
  text: { citations: null },
  tool_use: { caller: { type: 'direct' } },
};

/** The whole message, as a request without `stream` gets it. */
export function messageOf(reply: MessageReply, frame: Frame): Event {
  return {
    id: frame.id,
    type: 'message',
    role: 'assistant',
    model: frame.model,
    content: reply.content.map((block) => wireBlock(block, frame)),
    stop_reason: stopReasonOf(reply),
    stop_sequence: reply.stopSequence ?? null,
    ...(frame.isComplete && { ...EMPTY_FIELDS, stop_details: reply.stopDetails ?? null }),
    usage: { ...usageOf(frame), output_tokens: outputTokensOf(reply.content), ...reply.usage },
  };
}

export function eventsOf(reply: MessageReply, frame: Frame): readonly Event[] {
  const blocks = reply.content.flatMap((block, index) => blockEvents(block, index, frame));
  // The real API pings once, as the third event.
  const [first, ...rest] = blocks;
  const body = first === undefined ? [PING] : [first, PING, ...rest];
  return [
    startEvent(reply, frame),
    ...(reply.extraEvents ?? []),
    ...body,
    ...(reply.interimOutputTokens ?? []).map((tokens) => deltaEvent(reply, frame, { output_tokens: tokens })),
    deltaEvent(reply, frame, { output_tokens: outputTokensOf(reply.content), ...reply.usage }),
    { type: 'message_stop' },
  ];
}

export const PING: Event = { type: 'ping' };

function startEvent(reply: MessageReply, frame: Frame): Event {
  return {
    type: 'message_start',
    message: {
      id: frame.id,
      type: 'message',
      role: 'assistant',
      model: frame.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...(frame.isComplete && EMPTY_FIELDS),
      ...(reply.usage !== null && { usage: { ...usageOf(frame), ...reply.usage, output_tokens: 1 } }),
    },
  };
}

const usageOf = ({ prompt, isComplete }: Frame): Readonly<Record<string, unknown>> => ({
  ...prompt,
  ...(isComplete && EMPTY_USAGE),
});

function deltaEvent(
  reply: MessageReply,
  { prompt, isComplete }: Frame,
  usage: Readonly<Record<string, unknown>>,
): Event {
  // The breakdown of what was written stands in `message_start` only.
  const { cache_creation: _, ...counters } = prompt;
  return {
    type: 'message_delta',
    delta: {
      stop_reason: stopReasonOf(reply),
      stop_sequence: reply.stopSequence ?? null,
      ...(isComplete && { stop_details: reply.stopDetails ?? null, container: null }),
    },
    ...(reply.usage !== null && { usage: { ...counters, ...usage } }),
  };
}

/** The block as it goes out: with the fields that are promised, without what only the server knows of it. */
function wireBlock(block: Block, { isComplete }: Frame): Block {
  const fields = Object.entries(block).filter(([field]) => field !== PIECES && field !== CUT);
  // `type` is neither of the two fields that were left out.
  return { ...(isComplete && EMPTY_BLOCK[block.type]), ...Object.fromEntries(fields) } as Block;
}

function blockEvents(block: Block, index: number, frame: Frame): readonly Event[] {
  const { start, deltas } = partsOf(block, frame);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    ...(block[CUT] === true ? [] : [{ type: 'content_block_stop', index }]),
  ];
}

interface Parts {
  readonly start: Block;
  readonly deltas: readonly Block[];
}

/** Text and input come in pieces; blocks of other types arrive whole. */
function partsOf(block: Block, frame: Frame): Parts {
  switch (block.type) {
    case 'text':
      return {
        start: { ...wireBlock(block, frame), text: '' },
        deltas: piecesOf(stringOf(block['text'])).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...piecesOf(stringOf(block['thinking'])).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: stringOf(block['signature']) },
        ],
      };
    case 'tool_use':
      return {
        start: { ...wireBlock(block, frame), input: {} },
        deltas: ['', ...inputPieces(block)].map((json) => ({ type: 'input_json_delta', partial_json: json })),
      };
    default:
      return { start: wireBlock(block, frame), deltas: [] };
  }
}

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function inputPieces(block: Block): readonly string[] {
  const pieces = block[PIECES];
  if (Array.isArray(pieces)) return pieces.map(String);
  const json = JSON.stringify(block['input']);
  // A call without arguments has an empty fragment and nothing else.
  return json === '{}' ? [] : piecesOf(json);
}

const PIECE_CHARACTERS = 24;

/** Cut by code point: the pieces are JSON strings of their own. */
function piecesOf(text: string): readonly string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += PIECE_CHARACTERS) {
    pieces.push(characters.slice(at, at + PIECE_CHARACTERS).join(''));
  }
  return pieces;
}

/** Events as text. The real API pads some lines with spaces before the last brace; `pad` says how many. */
export const sseOf = (event: Event, pad = 0): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event).slice(0, -1)}${' '.repeat(pad)}}\n\n`;
