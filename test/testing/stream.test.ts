import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawToolUse, says, text, thinking, toolUse, type MessageReply } from '../../src/testing/index.ts';
import { eventsOf, messageOf, sseOf, type Event, type Frame } from '../../src/testing/stream.ts';

const frame = (changes: Partial<Frame> = {}): Frame => ({
  id: 'msg_1',
  model: 'claude-haiku-5-5',
  prompt: {
    input_tokens: 25,
    cache_creation_input_tokens: 3,
    cache_read_input_tokens: 7,
    cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 0 },
  },
  isComplete: true,
  ...changes,
});

const typesOf = (reply: MessageReply) => eventsOf(reply, frame()).map(({ type }) => type);

const deltasOf = (reply: MessageReply): readonly Readonly<Record<string, unknown>>[] =>
  eventsOf(reply, frame())
    .filter(({ type }) => type === 'content_block_delta')
    .map(({ delta }) => delta as Readonly<Record<string, unknown>>);

const find = (events: readonly Event[], type: string) => events.filter((event) => event.type === type);

describe('the events of a message', () => {
  it.each<[string, MessageReply, readonly string[]]>([
    ['without blocks', says(), ['message_start', 'ping', 'message_delta', 'message_stop']],
    [
      'with an unknown block, which arrives whole',
      says({ type: 'new' }),
      ['message_start', 'content_block_start', 'ping', 'content_block_stop', 'message_delta', 'message_stop'],
    ],
    [
      'with a cut call, which has no stop event',
      says(rawToolUse('t', ['{"a'], { isCut: true })),
      [
        'message_start',
        'content_block_start',
        'ping',
        'content_block_delta',
        'content_block_delta',
        'message_delta',
        'message_stop',
      ],
    ],
    [
      'with events to come and two counts on the way',
      { ...says(), extraEvents: [{ type: 'new_event' }], interimOutputTokens: [40, 50] },
      [
        'message_start',
        'new_event',
        'ping',
        'message_delta',
        'message_delta',
        'message_delta',
        'message_stop',
      ],
    ],
  ])('%s are in the order of the grammar', (_, reply, types) => {
    expect(typesOf(reply)).toEqual(types);
  });

  it.each<[string, MessageReply, readonly unknown[]]>([
    ['a call without arguments', says(toolUse('t')), ['']],
    ['a call', says(toolUse('t', { a: 1 })), ['', '{"a":1}']],
    ['a call that is no JSON', says(rawToolUse('t', ['{"a', ': oops'])), ['', '{"a', ': oops']],
  ])('begin the input of %s with an empty fragment', (_, reply, fragments) => {
    expect(deltasOf(reply).map((delta) => delta['partial_json'])).toEqual(fragments);
  });

  it('give a signature once, last in its block', () => {
    const deltas = deltasOf(says({ ...thinking('x'.repeat(100)), signature: 'signed' }));
    expect(deltas.length).toBeGreaterThan(2);
    expect(find(deltas as readonly Event[], 'signature_delta')).toEqual([deltas.at(-1)]);
  });

  it('add up to the text, in pieces without half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (words) => {
        const pieces = deltasOf(says(text(words))).map((delta) => String(delta['text']));
        expect(pieces.join('')).toBe(words);
        expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      }),
    );
  });

  it('count from the first event to the last', () => {
    const events = eventsOf({ ...says('Hi'), usage: { output_tokens: 89 } }, frame());
    const prompt = { input_tokens: 25, cache_creation_input_tokens: 3, cache_read_input_tokens: 7 };
    expect(events[0]).toMatchObject({ message: { content: [], stop_reason: null } });
    expect(events[0]).toMatchObject({ message: { usage: { ...prompt, output_tokens: 1 } } });
    expect(find(events, 'message_delta').map(({ usage }) => usage)).toEqual([
      { ...prompt, output_tokens: 89 },
    ]);
  });

  it('say nothing of usage when they should not', () => {
    expect(JSON.stringify(eventsOf({ ...says('Hi'), usage: null }, frame()))).not.toContain('usage');
  });

  it.each([
    ['end_turn', says('Hi')],
    ['tool_use', says('Hi', toolUse('t'))],
    ['refusal', { ...says('Hi', toolUse('t')), stopReason: 'refusal' }],
  ])('end with %s, as the message does without streaming', (stopReason, reply) => {
    const ends = find(eventsOf(reply, frame()), 'message_delta');
    expect(ends).toMatchObject([{ delta: { stop_reason: stopReason } }]);
    expect(messageOf(reply, frame())).toMatchObject({ stop_reason: stopReason });
  });
});

describe('fields without a value', () => {
  const message = (isComplete: boolean) => messageOf(says('Hi', toolUse('t')), frame({ isComplete }));

  it('are there, and null, in version 2026-10-21', () => {
    expect(message(true)).toMatchObject({
      container: null,
      stop_details: null,
      diagnostics: null,
      content: [{ citations: null }, { caller: { type: 'direct' } }],
      usage: { inference_geo: null, server_tool_use: null, output_tokens_details: null, speed: null },
    });
  });

  it('are not there in version 2023-06-01', () => {
    for (const field of ['container', 'stop_details', 'citations', 'caller', 'inference_geo']) {
      expect(JSON.stringify(message(false))).not.toContain(field);
    }
  });
});

describe('an event as text', () => {
  it('means the same however many spaces pad it, and ends in a blank line', () => {
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a\n\nb}' } };
    fc.assert(
      fc.property(fc.nat({ max: 30 }), (pad) => {
        const [name, data, ...rest] = sseOf(event, pad).split('\n');
        expect(name).toBe('event: content_block_delta');
        expect(JSON.parse(data?.slice('data: '.length) ?? '')).toEqual(event);
        expect(rest).toEqual(['', '']);
      }),
    );
  });
});
