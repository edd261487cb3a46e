import { array, assert, constantFrom, integer, jsonValue, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addEvent, emptyAssembly, finish, type Assembly } from '../../src/model/assemble.ts';
import { call, end, start, text, type StreamEvent } from './serve.ts';

const fold = (events: readonly StreamEvent[]): Assembly => events.reduce(addEvent, emptyAssembly);

const whole = [
  start(),
  ...text(0, 'Hello'),
  ...call(1, 'A', '{"a"', ': 1}'),
  ...text(2, ' '),
  ...end('tool_use'),
];

describe('the assembly', () => {
  it('G02: of a stream is complete after its last event, and not before', () => {
    const states = whole.map((_, index) => fold(whole.slice(0, index + 1)).isComplete);
    expect(states).toEqual([...whole.slice(1).map(() => false), true]);
  });

  it('is the very same object after an event that says nothing of the message', () => {
    const assembly = fold(whole.slice(0, 4));
    expect(addEvent(assembly, { type: 'ping' })).toBe(assembly);
    expect(addEvent(assembly, { type: 'weather', index: 0 })).toBe(assembly);
  });

  it('puts blocks in the order of their indices', () => {
    const { message } = finish(fold([start(), ...text(1, 'two'), ...text(0, 'one'), ...end()]));
    expect(message.content.map((block) => block['text'])).toEqual(['one', 'two']);
  });

  it.each([
    [
      'citations are collected',
      { type: 'text', text: '', citations: null },
      [
        { type: 'citations_delta', citation: { n: 1 } },
        { type: 'citations_delta', citation: { n: 2 } },
      ],
      { type: 'text', text: '', citations: [{ n: 1 }, { n: 2 }] },
    ],
    [
      'a signature is assigned',
      { type: 'thinking', thinking: '', signature: 'old' },
      [{ type: 'signature_delta', signature: 'new' }],
      { type: 'thinking', thinking: '', signature: 'new' },
    ],
    [
      'a compaction is assigned',
      { type: 'compaction', content: null },
      [{ type: 'compaction_delta', content: 'all', encrypted_content: 'x' }],
      { type: 'compaction', content: 'all', encrypted_content: 'x' },
    ],
    [
      'redacted thinking is untouched',
      { type: 'redacted_thinking', data: 'x', more: [1] },
      [],
      { type: 'redacted_thinking', data: 'x', more: [1] },
    ],
    [
      'a lone surrogate is replaced',
      { type: 'text', text: '\ud83c' },
      [],
      { type: 'text', text: '\u{fffd}' },
    ],
  ])('%s', (_, block, deltas, expected) => {
    const events = deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta }));
    const assembly = fold([
      start(),
      { type: 'content_block_start', index: 0, content_block: block },
      ...events,
      ...end(),
    ]);
    expect(finish(assembly).message.content).toEqual([expected]);
  });

  it('of a tool input does not depend on where its text was cut', () => {
    assert(
      property(
        record({ a: jsonValue({ maxDepth: 2 }), b: string({ unit: 'binary' }) }),
        array(integer({ min: 0, max: 60 })),
        (input, cuts) => {
          const json = JSON.stringify(input);
          const places = [0, ...cuts.toSorted((a, b) => a - b), json.length];
          const fragments = places.slice(1).map((place, index) => json.slice(places[index], place));
          const { message, malformedInputs } = finish(
            fold([start(), ...call(0, 'A', ...fragments), ...end()]),
          );
          expect(malformedInputs).toEqual({});
          expect(JSON.stringify(message.content[0]?.['input'])).toBe(json);
        },
      ),
    );
  });

  it('takes any events in any order without throwing, and never ends in a message that did not begin', () => {
    const types = [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
      'error',
      'x',
    ];
    const event = record(
      {
        type: constantFrom(...types),
        index: jsonValue({ maxDepth: 0 }),
        message: jsonValue({ maxDepth: 3 }),
        content_block: jsonValue({ maxDepth: 2 }),
        delta: jsonValue({ maxDepth: 2 }),
        usage: jsonValue({ maxDepth: 2 }),
        error: jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: ['type'] },
    );
    assert(
      property(array(event), (events) => {
        const assembly = fold(events);
        finish(assembly);
        if (assembly.isComplete && assembly.fault === null) expect(assembly.start).not.toBeNull();
      }),
    );
  });
});
