import { Anthropic } from '@anthropic-ai/sdk';
import { request as httpRequest } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  fails,
  says,
  startStrictServer,
  toolUse,
  type Reply,
  type StrictServer,
} from '../../src/testing/index.ts';

const BODY = {
  model: 'claude-haiku-5-5',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'Hi' }],
};
const REPLY = says('Grüße, 世界 🚀', toolUse('t', { path: 'a.txt' }));

async function serve(reply: Reply): Promise<StrictServer> {
  const server = await startStrictServer({ respond: () => reply });
  onTestFinished(() => server.close());
  return server;
}

interface Seen {
  readonly status: number | null;
  readonly events: number;
  /** `open`: the response would have gone on, had the server not been closed. */
  readonly end: 'ended' | 'broken' | 'open';
}

/** What a client sees that reads bytes. The server is closed as soon as there `isEnough`. */
const read = (server: StrictServer, isEnough: (text: string) => boolean): Promise<Seen & { text: string }> =>
  new Promise((resolve) => {
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2026-10-21' };
    let status: number | null = null;
    let text = '';
    const done = (isWhole: boolean): void => {
      const end = isWhole ? 'ended' : isEnough(text) ? 'open' : 'broken';
      resolve({ status, events: text.split('\n\n').length - 1, end, text });
    };
    const request = httpRequest(`${server.url}/v1/messages`, { method: 'POST', headers }, (response) => {
      status = response.statusCode ?? null;
      response.setEncoding('utf8');
      response.on('error', () => done(false));
      response.on('end', () => done(true));
      const take = (piece: string): void => {
        text += piece;
        if (isEnough(text)) void server.close();
      };
      response.on('data', take);
      take('');
    });
    request.on('error', () => done(false));
    request.end(JSON.stringify({ ...BODY, stream: true }));
  });

const never = () => false;
const holds = (count: number) => (text: string) => text.split('\n\n').length > count;

const ROWS: readonly (readonly [string, Reply, (text: string) => boolean, Seen])[] = [
  [
    'a reset before the headers',
    { kind: 'reset', at: 'before headers', reply: REPLY },
    never,
    { status: null, events: 0, end: 'broken' },
  ],
  [
    'a reset behind the headers',
    { kind: 'reset', at: 0, reply: REPLY },
    never,
    { status: 200, events: 0, end: 'broken' },
  ],
  ['an early close', { kind: 'close', at: 4, reply: REPLY }, never, { status: 200, events: 4, end: 'ended' }],
  [
    'an error event',
    { kind: 'error_event', at: 4, type: 'overloaded_error', message: 'Overloaded', reply: REPLY },
    never,
    { status: 200, events: 5, end: 'ended' },
  ],
  ['a stall', { kind: 'stall', at: 4, reply: REPLY }, holds(4), { status: 200, events: 4, end: 'open' }],
  [
    'a stall behind the headers',
    { kind: 'stall', at: 0, reply: REPLY },
    holds(0),
    { status: 200, events: 0, end: 'open' },
  ],
  [
    'an overloaded server',
    fails(529, 'overloaded_error', 'Overloaded'),
    never,
    { status: 529, events: 0, end: 'ended' },
  ],
  [
    'a stream as it is, without its last blank line',
    { kind: 'raw_stream', text: 'event: ping\r\ndata: {}' },
    never,
    { status: 200, events: 0, end: 'ended' },
  ],
];

describe('who reads bytes sees', () => {
  it.each(ROWS)('%s', async (_, reply, isEnough, seen) => {
    const { text: _text, ...rest } = await read(await serve(reply), isEnough);
    expect(rest).toEqual(seen);
  });

  it('pings without end', async () => {
    const seen = await read(await serve({ kind: 'ping_forever', at: 0, everyMs: 1, reply: REPLY }), holds(3));
    expect(seen.end).toBe('open');
    expect(seen.text).toMatch(/^(event: ping\ndata: \{"type":"ping" *\}\n\n){3,}$/);
  });

  it('a page of a proxy instead of JSON', async () => {
    const html = '<h1>502 Bad Gateway</h1>';
    const { status, text } = await read(await serve(fails(502, 'api_error', '', { html })), never);
    expect([status, text]).toEqual([502, html]);
  });
});

const SDK_ROWS: readonly (readonly [string, Reply, object])[] = [
  [
    'a reset before the headers',
    { kind: 'reset', at: 'before headers', reply: REPLY },
    { message: 'Connection error.' },
  ],
  ['a reset', { kind: 'reset', at: 4, reply: REPLY }, { message: 'terminated' }],
  [
    'an early close',
    { kind: 'close', at: 4, reply: REPLY },
    { message: 'stream ended without producing a Message with role=assistant' },
  ],
  [
    'an error event',
    { kind: 'error_event', at: 4, type: 'overloaded_error', message: 'Overloaded', reply: REPLY },
    { type: 'overloaded_error', status: undefined },
  ],
  [
    'an overloaded server',
    fails(529, 'overloaded_error', 'Overloaded'),
    { type: 'overloaded_error', status: 529 },
  ],
  [
    'a rate limit',
    fails(429, 'rate_limit_error', 'Slow down', { headers: { 'retry-after': '7' } }),
    { type: 'rate_limit_error', status: 429 },
  ],
  ['a page of a proxy', fails(502, 'api_error', '', { html: '<h1>502</h1>' }), { status: 502 }],
  [
    'JSON where a stream should be',
    { kind: 'body', contentType: 'application/json', body: '{}' },
    { message: 'request ended without sending any chunks' },
  ],
];

describe('the SDK fails', () => {
  it.each(SDK_ROWS)('on %s', async (_, reply, error) => {
    const client = new Anthropic({ baseURL: (await serve(reply)).url, apiKey: 'k', maxRetries: 0 });
    await expect(client.messages.stream(BODY).finalMessage()).rejects.toMatchObject(error);
  });

  it('not on slow headers', async () => {
    const client = new Anthropic({
      baseURL: (await serve({ kind: 'slow', ms: 5, reply: REPLY })).url,
      apiKey: 'k',
      maxRetries: 0,
    });
    expect((await client.messages.stream(BODY).finalMessage()).stop_reason).toBe('tool_use');
  });
});
