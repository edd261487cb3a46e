import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../../src/model/anthropic.ts';
import type { ModelReply } from '../../src/ports.ts';
import { ask } from './ask.ts';
import {
  blockDelta,
  blockStart,
  blockStop,
  call,
  end,
  request,
  serve,
  sse,
  start,
  streamHeaders,
  streaming,
  text,
  type Answer,
} from './serve.ts';

const never = new AbortController().signal;
const ignore = (): void => undefined;
const messageOf = (reply: ModelReply) => {
  if (reply.kind !== 'message') throw new Error(`No message but ${JSON.stringify(reply)}`);
  return reply.message;
};

describe('a request', () => {
  it('goes out unchanged but for `stream: true`', async () => {
    const { received } = await ask(streaming(sse(start(), ...text(0, 'Hi'), ...end())));
    expect(received.map(({ body }) => body)).toEqual([{ ...request, stream: true }]);
    expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer sk-test-0123456789' });
  });

  it('is sent once, whatever becomes of it', async () => {
    const { received } = await ask((response) => void response.writeHead(500).end());
    expect(received).toHaveLength(1);
  });

  it('cannot have two kinds of credentials', () => {
    expect(() => anthropic('m', { apiKey: 'a', authToken: 'b' })).toThrow(TypeError);
  });

  it('needs a base URL that is one', () => {
    expect(() => anthropic('m', { apiKey: 'a', baseURL: 'not a url' })).toThrow(
      'The base URL "not a url" is no URL.',
    );
  });
});

describe('limits of a model', () => {
  it.each([
    ['claude-haiku-5-5', {}, { maxTokens: 128_000, contextWindow: 1_000_000 }],
    ['claude-haiku-4-5-20251001', {}, { maxTokens: 64_000, contextWindow: 200_000 }],
    ['some-local-model', {}, { maxTokens: 64_000, contextWindow: 200_000 }],
    ['some-local-model', { maxTokens: 8_192 }, { maxTokens: 8_192, contextWindow: 200_000 }],
    ['claude-haiku-5-5', { contextWindow: 100_000 }, { maxTokens: 128_000, contextWindow: 100_000 }],
  ])('%s with %j has %j', (id, options, expected) => {
    expect(anthropic(id, { apiKey: 'a', ...options }).limits).toEqual(expected);
  });
});

describe('a whole stream', () => {
  it('A03: gives each block once, with the ids of the API', async () => {
    const stream = sse(
      start(),
      ...text(0, 'Both.'),
      ...call(1, 'A', '{}'),
      ...call(2, 'B', '{}'),
      ...end('tool_use'),
    );
    const { reply } = await ask(streaming(stream));
    expect(messageOf(reply).content).toEqual([
      { type: 'text', text: 'Both.' },
      { type: 'tool_use', id: 'A', name: 'read_file', input: {} },
      { type: 'tool_use', id: 'B', name: 'read_file', input: {} },
    ]);
  });

  it('is told as it comes, and says who answered', async () => {
    const thinking = [
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      blockDelta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      blockDelta(0, { type: 'signature_delta', signature: 'SIG' }),
      blockStop(0),
    ];
    const stream = sse(
      start(),
      ...thinking,
      ...text(1, 'Hi'),
      ...call(2, 'A', '', '{"a":', '1}'),
      ...end('tool_use'),
    );
    const { reply, deltas } = await ask(streaming(stream));
    expect(deltas).toEqual([
      { type: 'thinking.delta', text: 'Hm.' },
      { type: 'text.delta', text: 'Hi' },
      { type: 'tool_input.delta', name: 'read_file', json: '' },
      { type: 'tool_input.delta', name: 'read_file', json: '{"a":' },
      { type: 'tool_input.delta', name: 'read_file', json: '1}' },
    ]);
    expect(reply).toMatchObject({ requestId: 'req_1', message: { id: 'msg_1', stopReason: 'tool_use' } });
    expect(messageOf(reply).content[0]).toEqual({ type: 'thinking', thinking: 'Hm.', signature: 'SIG' });
  });

  it('counts even when no blank line follows its last event', async () => {
    const { reply } = await ask(streaming(sse(start(), ...text(0, 'Hi'), ...end()).trimEnd()));
    expect(messageOf(reply).content).toEqual([{ type: 'text', text: 'Hi' }]);
  });

  it('may be one byte at a time, with CRLF and comments', async () => {
    const stream = Buffer.from(
      `: hello\r\n${sse(start(), ...text(0, 'Grüße 🎉'), ...end()).replaceAll('\n', '\r\n')}`,
    );
    const { reply } = await ask(async (response) => {
      response.writeHead(200, streamHeaders);
      for (const byte of stream) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    expect(messageOf(reply).content).toEqual([{ type: 'text', text: 'Grüße 🎉' }]);
  });

  it('leaves nothing of a failed attempt in the next (G06)', async () => {
    const { url } = await serve((response, nth) => {
      response.writeHead(200, streamHeaders);
      if (nth === 1)
        response.end(sse(start(), ...text(0, 'Hello wor'), blockStart(1, { type: 'tool_use', id: 'A' })));
      else response.end(sse(start(), ...text(0, 'Hello world'), ...end()));
    });
    const model = anthropic('m', { apiKey: 'a', baseURL: url });
    const first = await model.send(request, { signal: never, onDelta: ignore });
    const second = await model.send(request, { signal: never, onDelta: ignore });
    expect(first.kind).toBe('failed');
    expect(messageOf(second).content).toEqual([{ type: 'text', text: 'Hello world' }]);
  });
});

describe('observers', () => {
  const words = sse(start(), ...text(0, 'one'), ...text(1, 'two'), ...text(2, 'three'), ...end());
  it.each([
    [
      'throws',
      () => {
        throw new Error('observer');
      },
    ],
    ['rejects', () => Promise.reject(new Error('observer'))],
  ])('G14: one that %s is reported once and changes nothing', async (_, onDelta) => {
    const reports: unknown[] = [];
    const logger = {
      error: (line: unknown) => reports.push(line),
      warn: ignore,
      info: ignore,
      debug: ignore,
    };
    const { url } = await serve(streaming(words));
    const model = anthropic('m', { apiKey: 'a', baseURL: url, logger });
    const reply = await model.send(request, { signal: never, onDelta });
    expect(messageOf(reply).content).toHaveLength(3);
    expect(reports).toEqual(['An observer of the response failed: Error: observer']);
  });
});

describe('an abort', () => {
  const answers = {
    'before the headers': ignore,
    'after the headers': (response) => response.writeHead(200, streamHeaders).flushHeaders(),
    'in mid-stream, while the server stalls': (response) => {
      response
        .writeHead(200, streamHeaders)
        .write(sse(start({ usage: { input_tokens: 5_000, output_tokens: 1 } })));
    },
    'inside an error body': (response) => void response.writeHead(500).write('{"error"'),
  } satisfies Record<string, Answer>;

  it.each([
    ['before the headers', null, 'none'],
    ['after the headers', null, 'unknown'],
    ['in mid-stream, while the server stalls', { input_tokens: 5_000, output_tokens: 1 }, 'partial'],
    ['inside an error body', null, 'none'],
  ] as const)('C18: %s ends at once and says what was used: %j', async (when, usage, billing) => {
    const controller = new AbortController();
    const { url } = await serve((response) => {
      answers[when](response);
      // What was sent has to be there by then, on a loaded machine, too.
      setTimeout(() => controller.abort(), 500);
    });
    const reply = await anthropic('m', { apiKey: 'a', baseURL: url }).send(request, {
      signal: controller.signal,
      onDelta: ignore,
    });
    expect(reply).toEqual({ kind: 'aborted', usage, billing });
  });

  it.each([
    ['a message', streaming(sse(start(), ...text(0, 'Hi'), ...end()))],
    ['a failure', streaming(sse(start()))],
  ])('that does not come leaves no listener behind, after %s', async (_, answer) => {
    const { signal } = new AbortController();
    const { url } = await serve(answer);
    await anthropic('m', { apiKey: 'a', baseURL: url }).send(request, { signal, onDelta: ignore });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('that came first sends nothing', async () => {
    const { url, received } = await serve(ignore);
    const reply = await anthropic('m', { apiKey: 'a', baseURL: url }).send(request, {
      signal: AbortSignal.abort(),
      onDelta: ignore,
    });
    expect(reply).toEqual({ kind: 'aborted', usage: null, billing: 'none' });
    expect(received).toEqual([]);
  });
});
