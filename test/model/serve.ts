/** A server that answers as a test says, for one test. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { ModelRequest } from '../../src/ports.ts';

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface Served {
  readonly url: string;
  readonly received: readonly Received[];
}

export type Answer = (response: ServerResponse, nth: number) => void | Promise<void>;

export async function serve(answer: Answer): Promise<Served> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    void readText(request).then((body) => {
      received.push({ headers: request.headers, body: JSON.parse(body) });
      return answer(response, received.length);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { url: `http://127.0.0.1:${address.port}`, received };
}

export const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_1' };

export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Events as the API frames them. */
export const sse = (...events: readonly StreamEvent[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

/** A whole stream, sent at once. */
export const streaming =
  (body: string | Uint8Array): Answer =>
  (response) => {
    response.writeHead(200, streamHeaders).end(body);
  };

export const start = (message: object = {}) => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-5-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 25, output_tokens: 1 },
    ...message,
  },
});

export const blockStart = (index: number, block: object) => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
export const blockDelta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
export const blockStop = (index: number) => ({ type: 'content_block_stop', index });

export const text = (index: number, words: string) => [
  blockStart(index, { type: 'text', text: '' }),
  blockDelta(index, { type: 'text_delta', text: words }),
  blockStop(index),
];

/** A tool call whose input comes in these fragments. */
export const call = (index: number, id: string, ...fragments: readonly string[]) => [
  blockStart(index, { type: 'tool_use', id, name: 'read_file', input: {} }),
  ...fragments.map((json) => blockDelta(index, { type: 'input_json_delta', partial_json: json })),
  blockStop(index),
];

export const end = (reason: string | null = 'end_turn', usage: object | null = { output_tokens: 89 }) => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
];

export const request: ModelRequest = {
  model: 'claude-haiku-5-5',
  max_tokens: 1_024,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
};
