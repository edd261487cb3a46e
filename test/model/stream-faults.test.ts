import { describe, expect, it } from 'vitest';
import { ask } from './ask.ts';
import {
  blockDelta,
  blockStart,
  blockStop,
  call,
  end,
  sse,
  start,
  streamHeaders,
  streaming,
  text,
  type Answer,
  type StreamEvent,
} from './serve.ts';

const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

describe('G02: a stream that is cut is a failure that can be retried', () => {
  const cuts = {
    'after message_start': sse(start()),
    'in a text': sse(start(), ...text(0, 'Hel').slice(0, 2)),
    'in a tool input': sse(start(), ...call(0, 'A', '{"path": "a').slice(0, 2)),
    'before message_stop': sse(start(), ...text(0, 'Hello'), end()[0] ?? overloaded),
    'inside an event': sse(start(), ...text(0, 'Hello'), ...end()).slice(0, -8),
  };
  const ways: Readonly<Record<string, (stream: string) => Answer>> = {
    'an error event': (stream) => streaming(`${stream}\n\n${sse(overloaded)}`),
    'a clean close': (stream) => streaming(stream),
    'a reset': (stream) => (response) => {
      response.writeHead(200, streamHeaders).write(stream, () => response.socket?.resetAndDestroy());
    },
  };
  const rows = Object.entries(cuts).flatMap(([where, stream]) =>
    Object.keys(ways).map((how) => ({ where, how, stream })),
  );
  it.each(rows)('$where, by $how', async ({ stream, how }) => {
    const { reply } = await ask(ways[how]?.(stream) ?? streaming(''));
    expect(reply).toMatchObject({
      kind: 'failed',
      isRetryable: true,
      reason: 'model_failed',
      failure: { status: null, retryAfterMs: null },
      usage: { input_tokens: 25 },
      billing: 'partial',
    });
  });
});

describe('an error event decides by its type', () => {
  it.each([
    ['overloaded_error', true],
    ['api_error', true],
    ['rate_limit_error', true],
    ['timeout_error', true],
    ['invalid_request_error', false],
    ['authentication_error', false],
    ['some_new_error', false],
  ])('%s: can be retried is %s', async (type, isRetryable) => {
    const event = { type: 'error', error: { type, message: 'retry me, or never' }, request_id: 'req_2' };
    const { reply, url } = await ask(streaming(sse(start(), event)));
    expect(reply).toMatchObject({
      kind: 'failed',
      isRetryable,
      requestId: 'req_2',
      failure: { errorType: type, message: `${new URL(url).host} reported ${type}: retry me, or never.` },
    });
  });

  it('as the first event it costs nothing', async () => {
    const { reply } = await ask(streaming(sse(overloaded)));
    expect(reply).toMatchObject({ kind: 'failed', usage: null, billing: 'none' });
  });

  it('that is no JSON can be retried', async () => {
    const { reply } = await ask(streaming(`${sse(start())}event: error\ndata: Overloaded\n\n`));
    expect(reply).toMatchObject({ kind: 'failed', isRetryable: true, failure: { message: 'Overloaded.' } });
  });
});

describe('a stream that breaks the rules is a failure', () => {
  const textStart = blockStart(0, { type: 'text', text: '' });
  it.each([
    ['a second message_start', sse(start(), start(), ...text(0, 'Hi'), ...end()), 'second message'],
    ['no message in message_start', sse({ type: 'message_start' }), 'without a message'],
    ['content before message_start', sse(...text(0, 'Hi'), start(), ...end()), 'before its message began'],
    ['message_stop before message_start', sse({ type: 'message_stop' }), 'before its message began'],
    ['invalid JSON', `${sse(start())}event: content_block_start\ndata: {"type":\n\n`, 'no JSON'],
    ['JSON that is no object', `${sse(start())}event: content_block_start\ndata: 7\n\n`, 'no JSON'],
    [
      'a delta for an unknown index',
      sse(start(), blockDelta(4, { type: 'text_delta', text: 'Hi' })),
      'had not begun',
    ],
    ['a delta without an index', sse(start(), { type: 'content_block_delta' }), 'had not begun'],
    ['a block that begins twice', sse(start(), textStart, textStart), 'block 0 twice'],
    ['a block without a type', sse(start(), blockStart(0, { text: 'Hi' })), 'without a type'],
    ['nothing at all', '', 'ended before its message did'],
    ['pings only, then the end', sse({ type: 'ping' }), 'ended before its message did'],
  ])('%s', async (_, stream, message) => {
    const { reply } = await ask(streaming(stream));
    expect(reply).toMatchObject({ kind: 'failed', isRetryable: true });
    expect(reply.kind === 'failed' && reply.failure.message).toContain(message);
  });
});

describe('what is unknown is let pass', () => {
  const unknownBlock = { type: 'newblock', id: 'n1', deep: { list: [1, null, 'x'] } };
  it.each([
    ['events before the message', sse({ type: 'hello' }, start(), ...text(0, 'Hi'), ...end())],
    [
      'events in the middle',
      sse(start(), { type: 'weather', sun: true }, ...text(0, 'Hi'), { type: 'ping' }, ...end()),
    ],
    ['frames without data', `event: nothing\n\n${sse(start(), ...text(0, 'Hi'), ...end())}`],
    [
      'deltas',
      sse(start(), ...text(0, 'Hi').slice(0, 2), blockDelta(0, { type: 'new_delta', more: 1 }), ...end()),
    ],
    ['no block stop', sse(start(), ...text(0, 'Hi').slice(0, 2), ...end())],
    ['a stop of an unknown block', sse(start(), ...text(0, 'Hi'), blockStop(7), ...end())],
    ['a type in the event line only', `${sse(start(), ...text(0, 'Hi'))}event: message_stop\ndata: {}\n\n`],
  ])('%s', async (_, stream) => {
    const { reply } = await ask(streaming(stream));
    expect(reply).toMatchObject({ kind: 'message', message: { content: [{ type: 'text', text: 'Hi' }] } });
  });

  it('blocks of unknown types are kept whole, an unknown stop_reason too', async () => {
    const { reply } = await ask(
      streaming(sse(start(), blockStart(0, unknownBlock), blockStop(0), ...end('weird'))),
    );
    expect(reply).toMatchObject({ message: { content: [unknownBlock], stopReason: 'weird' } });
  });

  it('a message that is whole in message_start needs no more', async () => {
    const content = [
      { type: 'tool_use', id: 'A', name: 'read_file', input: { path: 'a' }, caller: { type: 'direct' } },
    ];
    const whole = start({ content, stop_reason: 'tool_use' });
    const { reply } = await ask(streaming(sse(whole, { type: 'message_stop' })));
    expect(reply).toMatchObject({
      kind: 'message',
      malformedInputs: {},
      message: { content, stopReason: 'tool_use' },
    });
  });

  it('a later message_delta without a stop_reason does not erase it', async () => {
    const last = { type: 'message_delta', delta: { stop_reason: null }, usage: null };
    const { reply } = await ask(
      streaming(sse(start(), ...end('tool_use').slice(0, 1), last, { type: 'message_stop' })),
    );
    expect(reply).toMatchObject({ message: { stopReason: 'tool_use' } });
  });
});

const pinging =
  (...before: readonly StreamEvent[]): Answer =>
  (response) => {
    response.writeHead(200, streamHeaders).write(sse(...before));
    const timer = setInterval(() => response.write(sse({ type: 'ping' }, { type: 'heartbeat' })), 10);
    response.on('close', () => clearInterval(timer));
  };

describe('a server that falls silent', () => {
  // Only the one that is meant is short: a busy machine may take longer than that for what comes before it.
  const quiet = { idleTimeoutMs: 80, thinkingTimeoutMs: 80 };
  const slow = { headersTimeoutMs: 80 };
  it.each<[string, Answer, string]>([
    ['before its headers', () => undefined, 'sent no response within 0.08 s.'],
    [
      'inside an error body',
      (response) => void response.writeHead(500).write('{'),
      'sent no response within 0.08 s.',
    ],
    [
      'after its headers',
      (response) => response.writeHead(200, streamHeaders).flushHeaders(),
      'sent no content',
    ],
    ['inside a wrong body', (response) => void response.writeHead(200).write('<html>'), 'sent no content'],
    [
      'in mid-stream',
      (response) => void response.writeHead(200, streamHeaders).write(sse(start())),
      'sent no content',
    ],
    ['G08: but for pings, before any content', pinging(), 'sent no content within 0.08 s.'],
    ['G08: but for pings, inside a text', pinging(start(), ...text(0, 'Hi').slice(0, 2)), 'sent no content'],
    [
      'G08: but for pings, inside thinking',
      pinging(start(), blockStart(0, { type: 'thinking' })),
      'sent no content',
    ],
  ])('%s is a failure that can be retried', async (_, answer, message) => {
    const { reply } = await ask(answer, message.startsWith('sent no response') ? slow : quiet);
    expect(reply).toMatchObject({ kind: 'failed', isRetryable: true, failure: { status: null } });
    expect(reply.kind === 'failed' && reply.failure.message).toContain(message);
  });

  it.each([
    ['thinking', 'message'],
    ['text', 'failed'],
  ])('G08: hidden thinking has a longer limit: a pause in a %s block ends as %s', async (type, kind) => {
    const { reply } = await ask(
      (response) => {
        response.writeHead(200, streamHeaders).write(sse(start(), blockStart(0, { type })));
        setTimeout(() => response.end(sse(blockStop(0), ...end())), 200);
      },
      { idleTimeoutMs: 60, thinkingTimeoutMs: 10_000 },
    );
    expect(reply.kind).toBe(kind);
  });
});
