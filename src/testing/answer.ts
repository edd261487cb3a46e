/** Sending a reply, whole or going wrong. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Block, MessageReply, Reply } from './reply.ts';
import type { Signatures } from './signatures.ts';
import { eventsOf, messageOf, PING, sseOf, type Frame } from './stream.ts';
import type { Body, PromptUsage } from './usage.ts';
import type { Refusal } from '../verify/api/index.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
}

export interface Setting {
  readonly body: Body;
  readonly version: string;
  /** Of the answer, for ids. */
  readonly number: number;
  readonly prompt: PromptUsage;
  readonly signatures: Signatures;
  readonly random: () => number;
  readonly isChunked: boolean;
}

const LIMIT_HEADERS = {
  'anthropic-organization-id': '00000000-0000-0000-0000-000000000000',
  'anthropic-ratelimit-requests-limit': '4000',
  'anthropic-ratelimit-requests-remaining': '3999',
  'anthropic-ratelimit-requests-reset': '2026-12-01T00:00:00Z',
};

export function sendError({ response, requestId }: Exchange, refusal: Refusal): void {
  response.writeHead(refusal.status, {
    ...LIMIT_HEADERS,
    'content-type': 'application/json',
    'request-id': requestId,
    ...(refusal.status === 400 && { 'x-should-retry': 'false' }),
  });
  const error = { type: refusal.type, message: refusal.message };
  response.end(JSON.stringify({ type: 'error', error, request_id: requestId }));
}

export async function answer(reply: Reply, exchange: Exchange, setting: Setting): Promise<void> {
  const { response, requestId } = exchange;
  switch (reply.kind) {
    case 'slow':
      await pause(reply.ms, response);
      return answer(reply.reply, exchange, setting);
    case 'http_error':
      return sendHttpError(reply, exchange);
    case 'body':
      response.writeHead(200, { 'content-type': reply.contentType, 'request-id': requestId });
      response.end(reply.body);
      return;
    case 'raw_stream':
      beginStream(exchange);
      await write(reply.text, response, setting);
      response.end();
      return;
    case 'reset':
      if (reply.at === 'before headers') response.destroy();
      else await sendPart(reply.reply, reply.at, exchange, setting).then(() => response.destroy());
      return;
    case 'close':
      await sendPart(reply.reply, reply.at, exchange, setting);
      response.end();
      return;
    case 'stall':
      return sendPart(reply.reply, reply.at, exchange, setting);
    case 'ping_forever':
      await sendPart(reply.reply, reply.at, exchange, setting);
      pingForever(response, reply.everyMs);
      return;
    case 'error_event': {
      await sendPart(reply.reply, reply.at, exchange, setting);
      const error = { type: reply.type, message: reply.message };
      response.end(sseOf({ type: 'error', error, request_id: requestId }));
      return;
    }
    case 'message':
      return sendMessage(reply, exchange, setting);
  }
}

async function sendMessage(reply: MessageReply, exchange: Exchange, setting: Setting): Promise<void> {
  const { response, requestId } = exchange;
  if (setting.body['stream'] !== true) {
    response.writeHead(200, {
      ...LIMIT_HEADERS,
      'content-type': 'application/json',
      'request-id': requestId,
    });
    response.end(JSON.stringify(messageOf(named(reply, setting), frameOf(setting))));
    return;
  }
  await sendPart(reply, Infinity, exchange, setting);
  response.end();
}

/** The first `count` events of a stream. */
async function sendPart(
  reply: MessageReply,
  count: number,
  exchange: Exchange,
  setting: Setting,
): Promise<void> {
  beginStream(exchange);
  const events = eventsOf(named(reply, setting), frameOf(setting)).slice(0, count);
  const pad = (): number => (setting.random() < 0.2 ? Math.floor(setting.random() * 12) : 0);
  await write(events.map((event) => sseOf(event, pad())).join(''), exchange.response, setting);
}

function beginStream({ response, requestId }: Exchange): void {
  response.writeHead(200, {
    ...LIMIT_HEADERS,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': requestId,
  });
  response.flushHeaders();
}

const frameOf = ({ body, version, number, prompt }: Setting): Frame => ({
  id: `msg_${String(number).padStart(24, '0')}`,
  model: String(body['model']),
  prompt,
  isComplete: version !== '2023-06-01',
});

/** Calls get ids, thinking its signature. */
function named(reply: MessageReply, { body, number, signatures }: Setting): MessageReply {
  const thoughts = reply.content.filter(isUnsigned).map(({ thinking }) => String(thinking));
  const signed = [...signatures.issue(body, thoughts)];
  const content = reply.content.map((block, index) => {
    if (block.type === 'tool_use') {
      return { ...block, id: block['id'] ?? `toolu_${number}_${index}`.padEnd(30, '0') };
    }
    return isUnsigned(block) ? { ...block, signature: signed.shift() } : block;
  });
  return { ...reply, content };
}

const isUnsigned = ({ type, signature }: Block): boolean => type === 'thinking' && signature === undefined;

const MAX_CHUNK_BYTES = 200;

/** In chunks that end anywhere, also inside a character. */
async function write(text: string, response: ServerResponse, { random, isChunked }: Setting): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length && !response.destroyed;) {
    const size = isChunked ? 1 + Math.floor(random() * MAX_CHUNK_BYTES) : bytes.length;
    const hasRoom = response.write(bytes.subarray(at, at + size));
    at += size;
    if (!hasRoom) await drained(response);
  }
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });

const pause = (ms: number, response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });

function pingForever(response: ServerResponse, everyMs: number): void {
  const timer = setInterval(() => response.write(sseOf(PING)), everyMs);
  response.once('close', () => clearInterval(timer));
}

function sendHttpError(
  reply: Extract<Reply, { kind: 'http_error' }>,
  { response, requestId }: Exchange,
): void {
  const { status, type, message, headers = {}, html } = reply;
  response.writeHead(status, {
    ...LIMIT_HEADERS,
    'content-type': html === undefined ? 'application/json' : 'text/html',
    'request-id': requestId,
    ...headers,
  });
  response.end(html ?? JSON.stringify({ type: 'error', error: { type, message }, request_id: requestId }));
}
