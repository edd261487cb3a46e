import { describe, expect, it } from 'vitest';
import { ask } from './ask.ts';
import { blockStart, call, end, sse, start, streaming, type StreamEvent } from './serve.ts';

const inputOf = async (...events: readonly StreamEvent[]) => {
  const { reply } = await ask(streaming(sse(start(), ...events, ...end('tool_use'))));
  if (reply.kind !== 'message') throw new Error(JSON.stringify(reply));
  return { input: reply.message.content[0]?.['input'], malformed: reply.malformedInputs };
};

describe('tool input that is an object is taken as it is', () => {
  it.each<[string, readonly string[], unknown]>([
    ['G17: no fragment', [], {}],
    ['G17: an empty fragment', [''], {}],
    ['G17: an empty object', ['{}'], {}],
    ['one fragment', ['{"a": 1}'], { a: 1 }],
    ['many', ['', '{"a', '": [1, ', '2]}'], { a: [1, 2] }],
    ['G19: split inside an escape', [String.raw`{"a": "\u00`, 'e4"}'], { a: 'ä' }],
    ['G19: split inside a surrogate pair', ['{"a": "\ud83c', '\udf89"}'], { a: '🎉' }],
    [
      'G19: split inside an escaped surrogate pair',
      [String.raw`{"a": "\ud83c`, String.raw`\udf89"}`],
      { a: '🎉' },
    ],
    ['a lone surrogate is replaced', [String.raw`{"a": "\ud83c"}`], { a: '\u{fffd}' }],
  ])('%s', async (_, fragments, input) => {
    expect(await inputOf(...call(0, 'A', ...fragments))).toEqual({ input, malformed: {} });
  });

  it('a key named __proto__ stays a key', async () => {
    const { input } = await inputOf(...call(0, 'A', '{"__proto__": {"admin": true}}'));
    expect(JSON.stringify(input)).toBe('{"__proto__":{"admin":true}}');
  });

  it('a whole input in content_block_start counts', async () => {
    const block = { type: 'server_tool_use', id: 'A', name: 'web_search', input: { query: 'q' } };
    expect(await inputOf(blockStart(0, block))).toEqual({ input: { query: 'q' }, malformed: {} });
  });
});

describe('G19: tool input that is no JSON object is malformed, never a guess', () => {
  it.each([
    ['cut in a string', '{"city": "Par'],
    ['cut in a number', '{"n": 12'],
    ['G17: never closed', '{"a":'],
    ['a raw newline in a string', '{"code": "print(1)\n"}'],
    ['a trailing comma', '{"a": 1,}'],
    ['two objects', '{"a": 1}{"b": 2}'],
    ['an array', '[1]'],
    ['a string', '"a"'],
    ['null', 'null'],
    ['NaN', '{"a": NaN}'],
    ['nested beyond any reader', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ])('%s', async (_, raw) => {
    expect(await inputOf(...call(0, 'A', raw))).toEqual({
      input: { INVALID_JSON: raw },
      malformed: { A: raw },
    });
  });

  it('a call that max_tokens cut, without a content_block_stop, is malformed in a whole message', async () => {
    const cut = call(0, 'A', '', '{"path": "sco').slice(0, -1);
    const { reply } = await ask(streaming(sse(start(), ...cut, ...end('max_tokens'))));
    expect(reply).toMatchObject({
      kind: 'message',
      message: { stopReason: 'max_tokens', content: [{ input: { INVALID_JSON: '{"path": "sco' } }] },
      malformedInputs: { A: '{"path": "sco' },
    });
  });
});
