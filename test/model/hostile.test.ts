/** Servers that are broken, or want to break us. */
import { describe, expect, it } from 'vitest';
import { limitsOf } from '../../src/model/known-models.ts';
import { readToolInput } from '../../src/model/tool-input.ts';
import { ask, failedOf } from './ask.ts';
import { sse, streamHeaders, type Answer, type StreamEvent } from './serve.ts';

const start = (usage = { input_tokens: 10, output_tokens: 1 }): StreamEvent => ({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage },
});
const end: readonly StreamEvent[] = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
];

const streams =
  (...events: readonly StreamEvent[]): Answer =>
  (response) => {
    response.writeHead(200, streamHeaders);
    response.end(sse(start(), ...events, ...end));
  };

const page =
  (body: string): Answer =>
  (response) => {
    response.writeHead(502, { 'content-type': 'text/html' });
    response.end(body);
  };

describe('an error page', () => {
  it.each([
    { what: 'of brackets that never close', body: '<'.repeat(4_000_000) },
    { what: 'of scripts that never close', body: '<script '.repeat(500_000) },
    { what: 'of one endless word', body: 'x'.repeat(4_000_000) },
    { what: 'of blanks', body: ` ${' '.repeat(4_000_000)}` },
  ])('$what is read as far as it is shown, at once', async ({ body }) => {
    const { reply } = await ask(page(body));
    // The patterns need minutes for all of it: a test that took so long would have failed.
    expect(failedOf(reply)).toMatchObject({ isRetryable: true, failure: { status: 502 } });
    expect(failedOf(reply).failure.message.length).toBeLessThanOrEqual(700);
  });

  it.each(Array.from({ length: 20 }, (_, index) => index))(
    'that is cut through a secret shows no part of it: %d letters of it were left',
    async (left) => {
      const secret = 'sk-secret-0123456789';
      const markup = `<b${' '.repeat(7_990 - left)}>`;
      const redact = (text: string): string => text.replaceAll(secret, '[redacted]');
      const { reply } = await ask(page(`${markup}key ${secret} and more`), { redact });
      expect(failedOf(reply).failure.message).not.toContain('sk-s');
    },
  );
});

describe('a delta of another kind than its block', () => {
  const block = (content: StreamEvent, ...deltas: readonly StreamEvent[]): readonly StreamEvent[] => [
    { type: 'content_block_start', index: 0, content_block: content },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
  ];
  const odd: readonly StreamEvent[] = [
    { type: 'text_delta', text: 'odd' },
    { type: 'thinking_delta', thinking: 'odd' },
    { type: 'signature_delta', signature: 'odd' },
    { type: 'citations_delta', citation: { type: 'odd' } },
    { type: 'input_json_delta', partial_json: '{"odd":1}' },
    { type: 'compaction_delta', content: 'odd', tool_use_id: 'odd' },
  ];

  it.each<{ content: StreamEvent; own: readonly string[] }>([
    { content: { type: 'tool_use', id: 'a', name: 'read', input: {} }, own: ['input_json_delta'] },
    {
      content: { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} },
      own: ['input_json_delta'],
    },
    { content: { type: 'compaction', content: null }, own: ['compaction_delta'] },
    { content: { type: 'redacted_thinking', data: 'x' }, own: [] },
    {
      content: { type: 'thinking', thinking: '', signature: '' },
      own: ['thinking_delta', 'signature_delta'],
    },
    { content: { type: 'text', text: '' }, own: ['text_delta', 'citations_delta'] },
  ])('changes nothing of $content.type, and nobody is told', async ({ content, own }) => {
    const foreign = odd.filter(({ type }) => !own.includes(type));
    const { reply, deltas } = await ask(streams(...block(content, ...foreign)));
    expect(reply).toMatchObject({ kind: 'message', message: { content: [content] } });
    expect(deltas).toEqual([]);
  });

  it('grows a block of a type that we do not know', async () => {
    const { reply } = await ask(streams(...block({ type: 'new' }, { type: 'text_delta', text: 'new' })));
    expect(reply).toMatchObject({ message: { content: [{ type: 'new', text: 'new' }] } });
  });
});

describe('nesting', () => {
  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  it.each([
    { what: 'of 200 levels', json: nested(200), isMalformed: false },
    { what: 'of 201 levels', json: nested(201), isMalformed: true },
    { what: 'of 6,000 levels', json: nested(6_000), isMalformed: true },
    { what: 'with a number beyond all numbers', json: '{"a": 1e999}', isMalformed: true },
    { what: 'with a large number', json: '{"a": 1e308}', isMalformed: false },
  ])('$what in the input of a call is malformed: $isMalformed', ({ json, isMalformed }) => {
    expect(readToolInput(json, {}).malformed !== null).toBe(isMalformed);
  });

  it('of a block that no one can read fails once, and is billed', async () => {
    const block = `{"type":"content_block_start","index":0,"content_block":{"type":"new","deep":${nested(50_000)}}}`;
    const { reply } = await ask((response) => {
      response.writeHead(200, streamHeaders);
      response.end(`${sse(start())}event: content_block_start\ndata: ${block}\n\n${sse(...end)}`);
    });
    expect(failedOf(reply)).toMatchObject({
      isRetryable: false,
      billing: 'partial',
      usage: { input_tokens: 10 },
      failure: { message: expect.stringContaining('cannot be read') },
    });
  });
});

it.each(['toString', 'constructor', '__proto__'])(
  'a model named %s has the limits of one that is not known',
  (id) => {
    expect(limitsOf(id)).toEqual({ maxTokens: 64_000, contextWindow: 200_000 });
  },
);
