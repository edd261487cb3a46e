import { Anthropic } from '@anthropic-ai/sdk';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  fails,
  rawToolUse,
  says,
  startStrictServer,
  thinking,
  toolUse,
  type Reply,
  type StrictServer,
  type StrictServerOptions,
} from '../../src/testing/index.ts';

async function serve(reply: Reply, options: Partial<StrictServerOptions> = {}): Promise<StrictServer> {
  const server = await startStrictServer({ respond: () => reply, ...options });
  onTestFinished(() => server.close());
  return server;
}

const BODY = {
  model: 'claude-haiku-5-5',
  max_tokens: 100,
  stream: true,
  messages: [{ role: 'user', content: 'Hi' }],
};
const HEADERS = { 'x-api-key': 'k', 'anthropic-version': '2026-10-21', 'content-type': 'application/json' };

const post = (server: StrictServer, body: unknown = BODY, headers: Record<string, string> = HEADERS) =>
  fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The least that a reader of server-sent events has to do. */
const parse = (sse: string): readonly Event[] =>
  sse
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => JSON.parse(part.split('\ndata: ')[1] ?? '') as Event);

const REPLY = says(
  thinking('hm'),
  'Grüße, 世界 🚀',
  toolUse('read_file', { path: 'a.txt', note: '€'.repeat(40) }),
);

describe('a stream', () => {
  it('follows the grammar of the API', async () => {
    const types = parse(await (await post(await serve(REPLY))).text()).map(({ type }) => type);
    expect(types[0]).toBe('message_start');
    expect(types[2]).toBe('ping');
    expect(types.slice(-2)).toEqual(['message_delta', 'message_stop']);
    expect(types.filter((type) => type === 'content_block_start')).toHaveLength(3);
    expect(types.filter((type) => type === 'content_block_stop')).toHaveLength(3);
  });

  it('says the same whatever its chunks', async () => {
    const whole = parse(await (await post(await serve(REPLY, { chunks: 'whole' }))).text());
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const server = await startStrictServer({ respond: () => REPLY, seed });
        const events = parse(await (await post(server)).text());
        await server.close();
        expect(events).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('is read by the SDK as the message that it is without streaming', async () => {
    const server = await serve(REPLY);
    const client = new Anthropic({ baseURL: server.url, apiKey: 'k', maxRetries: 0 });
    const { stream: _, ...body } = BODY;
    const request = { ...body, messages: [{ role: 'user' as const, content: 'Hi' }] };
    const streamed = await client.messages.stream(request).finalMessage();
    const plain = await client.messages.create(request);
    expect(streamed.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(streamed.content.at(2)).toMatchObject({ input: { path: 'a.txt', note: '€'.repeat(40) } });
    expect(streamed.usage.output_tokens).toBe(plain.usage.output_tokens);
    expect(streamed.stop_reason).toBe('tool_use');
  });

  it.each([
    { fault: 'an early close', reply: { kind: 'close', at: 4, reply: REPLY }, ends: 'close' },
    { fault: 'a reset', reply: { kind: 'reset', at: 4, reply: REPLY }, ends: 'error' },
    {
      fault: 'an error event',
      reply: { kind: 'error_event', at: 4, type: 'overloaded_error', message: 'Overloaded', reply: REPLY },
      ends: 'event',
    },
    {
      fault: 'a reset before the headers',
      reply: { kind: 'reset', at: 'before headers', reply: REPLY },
      ends: 'error',
    },
    { fault: 'a cut call', reply: says(rawToolUse('t', ['{"a": '], { isCut: true })), ends: 'whole' },
  ] as const)('may end with $fault', async ({ reply, ends }) => {
    const read = post(await serve(reply)).then((response) => response.text());
    if (ends === 'error') await expect(read).rejects.toThrow();
    else {
      const last = parse(await read).at(-1)?.type;
      expect(last).toBe(
        ends === 'event' ? 'error' : ends === 'whole' ? 'message_stop' : 'content_block_delta',
      );
    }
  });

  it('whose client goes away harms nobody', async () => {
    const server = await serve({ kind: 'ping_forever', at: 2, everyMs: 5, reply: REPLY });
    const stop = new AbortController();
    const response = await fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(BODY),
      signal: stop.signal,
    });
    stop.abort();
    await expect(response.text()).rejects.toThrow();
    expect((await post(server)).status).toBe(200);
  });
});

describe('who asks', () => {
  it.each([
    { who: 'nobody', headers: { ...HEADERS, 'x-api-key': '' }, status: 401, type: 'authentication_error' },
    {
      who: 'somebody with a wrong key',
      headers: { ...HEADERS, 'x-api-key': 'w' },
      status: 401,
      type: 'authentication_error',
    },
    {
      who: 'somebody with a wrong token',
      headers: { ...HEADERS, 'x-api-key': '', authorization: 'Bearer w' },
      status: 401,
      type: 'authentication_error',
    },
    {
      who: 'a page in a browser',
      headers: { ...HEADERS, origin: 'https://example.org' },
      status: 403,
      type: 'permission_error',
    },
    {
      who: 'a client of another version',
      headers: { ...HEADERS, 'anthropic-version': '2020-01-01' },
      status: 400,
      type: 'invalid_request_error',
    },
  ])('$who gets $status', async ({ headers, status, type }) => {
    const response = await post(await serve(REPLY, { apiKeys: ['k'] }), BODY, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type },
      request_id: response.headers.get('request-id'),
    });
  });

  it.each([
    { what: 'no JSON', body: '{"model": ' },
    { what: 'a lone surrogate', body: JSON.stringify(BODY).replace('Hi', String.raw`\ud800`) },
    { what: 'a list', body: '[]' },
  ])('$what is refused with 400, which says not to try again', async ({ body }) => {
    const response = await post(await serve(REPLY), body);
    expect(response.status).toBe(400);
    expect(response.headers.get('x-should-retry')).toBe('false');
  });

  it('gets what it asks for: models, counts, and nothing else', async () => {
    const server = await serve(REPLY);
    const get = (path: string, init: RequestInit = {}) =>
      fetch(server.url + path, { headers: HEADERS, ...init });
    expect((await get('/v1/models/claude-haiku-5-5')).status).toBe(200);
    expect((await get('/v1/models/none')).status).toBe(404);
    expect((await get('/v1/models/%zz')).status).toBe(404);
    expect((await get('/v1/other')).status).toBe(404);
    const { max_tokens: _max, stream: _stream, ...counted } = BODY;
    const count = await get('/v1/messages/count_tokens', { method: 'POST', body: JSON.stringify(counted) });
    expect(await count.json()).toEqual({ input_tokens: expect.any(Number) });
  });

  it('may be told off in any way', async () => {
    const server = await serve(
      fails(529, 'overloaded_error', 'Overloaded', { headers: { 'retry-after': '7' } }),
    );
    const response = await post(server);
    expect([response.status, response.headers.get('retry-after')]).toEqual([529, '7']);
  });
});

describe('a prompt beyond the context window', () => {
  it('is refused, in the words of the API', async () => {
    const server = await serve(says('Hello'));
    const messages = [{ role: 'user', content: 'word '.repeat(300_000) }];
    const response = await post(server, { ...BODY, model: 'claude-haiku-4-5', messages });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/prompt is too long: \d+ tokens > 200000 maximum/);
  });
});

describe('a script that breaks', () => {
  it('is told to whoever asked, as the fault of the server that it is', async () => {
    const server = await startStrictServer({
      respond: () => {
        throw new Error('no turn 3');
      },
    });
    onTestFinished(() => server.close());
    const response = await post(server);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('no turn 3');
  });
});

describe('usage', () => {
  it('reads from the cache what an earlier request has written', async () => {
    const server = await serve(says('Hello'));
    const system = [{ type: 'text', text: 'x'.repeat(4_000), cache_control: { type: 'ephemeral' } }];
    const ask = async (...messages: readonly object[]) => {
      const response = await post(server, { ...BODY, stream: false, system, messages });
      return ((await response.json()) as { readonly usage: Readonly<Record<string, number>> }).usage;
    };
    const first = await ask({ role: 'user', content: 'Hi' });
    const second = await ask(
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'And?' },
    );
    // What stands behind the breakpoint is neither written nor read.
    expect(first).toMatchObject({ input_tokens: expect.any(Number), cache_read_input_tokens: 0 });
    expect(first['cache_creation_input_tokens']).toBeGreaterThan(1_000);
    expect(second['cache_read_input_tokens']).toBe(first['cache_creation_input_tokens']);
  });

  it.each([
    { ttl: undefined, hours: 0 },
    { ttl: '5m', hours: 0 },
    { ttl: '1h', hours: 1 },
  ])('says how long it keeps what it has written: ttl $ttl', async ({ ttl, hours }) => {
    const system = [{ type: 'text', text: 'x'.repeat(4_000), cache_control: { type: 'ephemeral', ttl } }];
    const response = await post(await serve(says('Hello')), { ...BODY, stream: false, system });
    const { usage } = (await response.json()) as { readonly usage: Readonly<Record<string, unknown>> };
    const written = Number(usage['cache_creation_input_tokens']);
    expect(usage['cache_creation']).toEqual({
      ephemeral_5m_input_tokens: written * (1 - hours),
      ephemeral_1h_input_tokens: written * hours,
    });
    // What stands behind the breakpoint is not cached.
    expect(usage['input_tokens']).toBeGreaterThan(0);
  });

  it('writes nothing that is shorter than 512 tokens', async () => {
    const system = [{ type: 'text', text: 'x'.repeat(1_000), cache_control: { type: 'ephemeral' } }];
    const response = await post(await serve(says('Hello')), { ...BODY, stream: false, system });
    expect(await response.json()).toMatchObject({ usage: { cache_creation_input_tokens: 0 } });
  });
});
