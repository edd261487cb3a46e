import { describe, expect, it } from 'vitest';
import { validateRequest } from '../../src/verify/api/index.ts';

const tool = { name: 't', description: 'd', input_schema: { type: 'object', properties: {} } };
const base = { model: 'claude-haiku-5-5', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] };
const user = (...content: readonly unknown[]) => ({ role: 'user', content });
const assistant = (...content: readonly unknown[]) => ({ role: 'assistant', content });
const call = (id: string) => ({ type: 'tool_use', id, name: 't', input: {} });
const result = (id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id: id, ...more });
const text = (words: unknown, more: object = {}) => ({ type: 'text', text: words, ...more });
const cache = { cache_control: { type: 'ephemeral' } };
const asked = (...more: readonly unknown[]) => ({ tools: [tool], messages: [user(text('x')), ...more] });

describe('what has the wrong type is refused', () => {
  it.each<[string, object, RegExp]>([
    ['a call of the user', { tools: [tool], messages: [user(call('a'))] }, /can only be in `assistant`/],
    ['a result of the assistant', asked(assistant(result('a')), user(text('b'))), /can only be in `user`/],
    [
      'thinking of the user',
      { messages: [user({ type: 'thinking', thinking: 'x', signature: 'y' })] },
      /can only be in `assistant`/,
    ],
    ['a block of the user that nobody knows', { messages: [user({ type: 'foo' })] }, /Input tag 'foo'/],
    ['a text that is a number', { messages: [user(text(5))] }, /text\.text: Input should be a valid string/],
    ['a text that is null', { messages: [user(text(null))] }, /text\.text: Input should be a valid string/],
    [
      'a field that a text has not',
      { messages: [user(text('x', { parsed_output: null }))] },
      /parsed_output: Extra inputs/,
    ],
    [
      'a result that is a number',
      asked(assistant(call('a')), user(result('a', { content: 5 }))),
      /tool_result\.content: /,
    ],
    [
      'is_error as a word',
      asked(assistant(call('a')), user(result('a', { is_error: 'yes' }))),
      /is_error: Input should be a valid boolean/,
    ],
    [
      'tool_choice as a word',
      { tools: [tool], tool_choice: 'auto' },
      /tool_choice: Input should be a valid dictionary/,
    ],
    [
      'a choice of a tool that is not there',
      { tools: [tool], tool_choice: { type: 'tool', name: 'z' } },
      /Tool 'z' not found/,
    ],
    ['stream as a word', { stream: 'yes' }, /stream: Input should be a valid boolean/],
    ['system as a number', { system: 5 }, /system: /],
    ['stop_sequences as a word', { stop_sequences: 'x' }, /stop_sequences: Input should be a valid list/],
    ['thinking as a word', { thinking: 'enabled' }, /thinking: Input should be a valid dictionary/],
    ['thinking of an unknown type', { thinking: { type: 'zz' } }, /Input tag 'zz'/],
    [
      'thinking between tools on another model',
      { thinking: { type: 'between_tools' } },
      /between_tools" is not supported/,
    ],
    [
      'no thinking at a high effort',
      { thinking: { type: 'disabled' }, output_config: { effort: 'xhigh' } },
      /disabled" is not supported/,
    ],
    [
      'output_config as a word',
      { output_config: 'high' },
      /output_config: Input should be a valid dictionary/,
    ],
    [
      'five breakpoints',
      { messages: [user(...[1, 2, 3, 4, 5].map((n) => text(`x${n}`, cache)))] },
      /Found 5/,
    ],
    [
      'a breakpoint of an unknown type',
      { messages: [user(text('x', { cache_control: { type: 'zz' } }))] },
      /should be 'ephemeral'/,
    ],
    [
      'a breakpoint on thinking',
      asked(
        assistant({ type: 'thinking', thinking: 'x', signature: 'y', ...cache }, text('t')),
        user(text('x')),
      ),
      /thinking\.cache_control: Extra inputs/,
    ],
    ['tools that are all deferred', { tools: [{ ...tool, defer_loading: true }] }, /At least one tool/],
    [
      'required that is null',
      { tools: [{ ...tool, input_schema: { type: 'object', required: null } }] },
      /required: /,
    ],
    [
      'properties that are a list',
      { tools: [{ ...tool, input_schema: { type: 'object', properties: [] } }] },
      /properties: /,
    ],
    [
      'a description that is a number',
      { tools: [{ ...tool, description: 5 }] },
      /description: Input should be a valid string/,
    ],
    ['a field that a tool has not', { tools: [{ ...tool, zzz: 1 }] }, /zzz: Extra inputs/],
    ['a tool of an unknown type', { tools: [{ type: 'banana' }] }, /Input tag '"banana"'/],
    ['an answer longer than the model gives', { max_tokens: 1e9 }, /max_tokens: 1000000000 > 128000/],
    [
      'a call without a thought, with a budget for thinking',
      {
        ...asked(assistant(call('a')), user(result('a'))),
        model: 'claude-sonnet-4-5',
        max_tokens: 2_000,
        thinking: { type: 'enabled', budget_tokens: 1_024 },
      },
      /Expected `thinking` or `redacted_thinking`/,
    ],
    [
      'a prefill with a budget for thinking',
      {
        ...asked(assistant(text('abc'))),
        model: 'claude-sonnet-4-5',
        max_tokens: 2_000,
        thinking: { type: 'enabled', budget_tokens: 1_024 },
      },
      /prefill/,
    ],
  ])('%s', (_, body, message) => {
    const refusal = validateRequest({ ...base, ...body }, { version: '2026-10-21' });
    expect(refusal?.status).toBe(400);
    expect(refusal?.message).toMatch(message);
  });
});

describe('what only looks wrong is accepted', () => {
  it.each<[string, object]>([
    [
      'a block of the assistant that is newer than the list',
      asked(assistant({ type: 'brand_new', any: 1 }), user(text('b'))),
    ],
    ['nothing in place of a breakpoint', { messages: [user(text('x', { cache_control: null }))] }],
    ['a result without content', asked(assistant(call('a')), user(result('a')))],
    ['four breakpoints', { messages: [user(...[1, 2, 3, 4].map((n) => text(`x${n}`, cache)))] }],
    [
      'a call that takes a cache_control',
      asked(assistant({ ...call('a'), input: { cache_control: {} } }), user(result('a'))),
    ],
    ['a tool of the API', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['a deferred tool beside another', { tools: [tool, { ...tool, name: 'u', defer_loading: true }] }],
    ['no system', { system: null }],
  ])('%s', (_, body) => {
    expect(validateRequest({ ...base, ...body }, { version: '2026-10-21' })).toBeNull();
  });
});
