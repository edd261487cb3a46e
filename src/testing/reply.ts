/** What the server's scripted model answers: a message, or one of the ways in which a request goes wrong. */

export interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface MessageReply {
  readonly kind: 'message';
  readonly content: readonly Block[];
  /** Default: `tool_use` when there is a call, else `end_turn`. */
  readonly stopReason?: string;
  readonly stopSequence?: string | null;
  readonly stopDetails?: unknown;
  /** Overrides of the counted usage; null: the stream says nothing of it. */
  readonly usage?: Readonly<Record<string, unknown>> | null;
  /** Several `message_delta`s before the last one, with these output counts. */
  readonly interimOutputTokens?: readonly number[];
  /** Events that the API does not have (yet), sent before the first block. */
  readonly extraEvents?: readonly Block[];
}

/** Where a stream goes wrong: before its headers, or after so many events. */
type Where = 'before headers' | number;

export type Reply =
  | MessageReply
  | {
      readonly kind: 'http_error';
      readonly status: number;
      readonly type: string;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** A body as a proxy sends it, instead of JSON. */
      readonly html?: string;
    }
  | { readonly kind: 'reset'; readonly at: Where; readonly reply: MessageReply }
  | { readonly kind: 'close'; readonly at: number; readonly reply: MessageReply }
  | { readonly kind: 'stall'; readonly at: number; readonly reply: MessageReply }
  | {
      readonly kind: 'ping_forever';
      readonly at: number;
      readonly everyMs: number;
      readonly reply: MessageReply;
    }
  | {
      readonly kind: 'error_event';
      readonly at: number;
      readonly type: string;
      readonly message: string;
      readonly reply: MessageReply;
    }
  | { readonly kind: 'slow'; readonly ms: number; readonly reply: Reply }
  /** A 200 with a body of another kind. */
  | { readonly kind: 'body'; readonly contentType: string; readonly body: string }
  /** Server-sent events as they are, a recording for example. */
  | { readonly kind: 'raw_stream'; readonly text: string };

export const text = (words: string): Block => ({ type: 'text', text: words });

/** A thinking block; the server signs it. */
export const thinking = (words: string): Block => ({ type: 'thinking', thinking: words });

/** A call. The server gives it an id when it has none. */
export const toolUse = (name: string, input: unknown = {}, id?: string): Block => ({
  type: 'tool_use',
  name,
  input,
  ...(id !== undefined && { id }),
});

/** A call whose input comes in these pieces, JSON or not. `isCut`: the block gets no stop event, as when truncated. */
export const rawToolUse = (
  name: string,
  pieces: readonly string[],
  { id, isCut = false }: { readonly id?: string; readonly isCut?: boolean } = {},
): Block => ({ ...toolUse(name, {}, id), [PIECES]: pieces, [CUT]: isCut });

/** Twists of the stream; they never reach the wire. */
export const PIECES = '$pieces';
export const CUT = '$isCut';

export const says = (...blocks: readonly (Block | string)[]): MessageReply => ({
  kind: 'message',
  content: blocks.map((block) => (typeof block === 'string' ? text(block) : block)),
});

export const fails = (
  status: number,
  type: string,
  message: string,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly html?: string } = {},
): Reply => ({ kind: 'http_error', status, type, message, ...options });
