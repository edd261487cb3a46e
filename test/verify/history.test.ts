import { describe, expect, it } from 'vitest';
import { verifyHistory, type HistoryOptions } from '../../src/verify/index.ts';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const use = (id: string, name = 'look') => ({ type: 'tool_use', id, name, input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };

const called = [user('Hi'), assistant([use('a'), use('b')])];
const answered = [...called, user([result('a'), result('b')]), assistant('So.')];
const UNANSWERED =
  'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.';
const PREFILL =
  'This model does not support assistant message prefill. The conversation must end with a user message.';
const UNDEFINED = 'Requests which include `tool_use` or `tool_result` blocks must define tools';

interface Row {
  readonly what: string;
  readonly history: unknown;
  readonly options?: HistoryOptions;
}

const OLD = { version: '2023-06-01' };
const request = (changes: object) => ({ max_tokens: 9, messages: [user('Hi')], ...changes });

const FINE: readonly Row[] = [
  { what: 'that ends with the answer', history: answered },
  {
    what: 'of an older model that ends with a space',
    history: [user('Hi'), assistant('So. ')],
    options: { model: 'claude-haiku-4-5' },
  },
  { what: 'that ends with results', history: answered.slice(0, 3) },
  {
    what: 'that begins with two messages of the user',
    history: [user('Hi'), user('Hello?'), assistant('So.')],
  },
  { what: 'that ends in a pause', history: [user('Hi'), assistant([search])] },
  {
    what: 'with a block that is called as every object has it',
    history: [user('Hi'), assistant([{ type: 'constructor' }, { type: '__proto__' }])],
  },
  {
    what: 'that ends with a block like a pause',
    history: [user('Hi'), assistant([{ ...search, type: 'my_server_tool_use' }])],
  },
  {
    what: 'that ends with another block like a pause',
    history: [user('Hi'), assistant([{ ...search, type: 'server_tool_used' }])],
  },
  {
    what: 'that ends with a system message',
    history: [user('Hi'), { role: 'system', content: 'Be short.' }],
  },
  {
    what: 'with a block that has a name and is no call',
    history: [user('Hi'), assistant([{ type: 'new', name: 'a b' }])],
  },
  { what: 'that names no tools', history: { tools: null, messages: answered } },
  { what: 'that is a request with thinking', history: request({ thinking: { type: 'adaptive' } }) },
  {
    what: 'that is a request, for another model',
    history: request({ model: 'claude-haiku-4-5', thinking: { type: 'adaptive' } }),
    options: { model: 'claude-haiku-5-5' },
  },
  {
    what: 'that is a request without tools, for some tools',
    history: request({ tools: 5, tool_choice: { type: 'auto' } }),
    options: { tools: [{ name: 'look', input_schema: { type: 'object' } }] },
  },
  { what: 'in a document', history: { system: 'Be short.', messages: answered } },
  { what: 'of another loop', history: { model: 'own-model', title: 'A talk', messages: answered } },
  { what: 'that is a whole request', history: request({ model: 'claude-haiku-5-5' }) },
  {
    what: 'that is a request of the older version',
    history: request({ model: 'claude-haiku-4-5', temperature: 0 }),
    options: OLD,
  },
];

const WRONG: readonly (Row & { readonly words: string })[] = [
  { what: 'without a result', history: [...called, user([result('a')])], words: UNANSWERED },
  { what: 'that ends with open calls', history: called, words: UNANSWERED.replace(': b.', ': a, b.') },
  { what: 'whose tools are said to be none', history: answered, options: { tools: [] }, words: UNDEFINED },
  {
    what: 'that is a request and ends with the assistant',
    history: request({ messages: [user('Hi'), assistant('So')] }),
    words: PREFILL,
  },
  {
    what: 'that is a request of the newer version',
    history: request({ temperature: 0 }),
    words: 'temperature: Extra inputs are not permitted',
  },
  {
    what: 'that is a request, for another model',
    history: request({ thinking: { type: 'adaptive' } }),
    options: { model: 'claude-haiku-4-5' },
    words: 'adaptive thinking is not supported on this model',
  },
  { what: 'of a word', history: ['Hi'], words: 'messages.0: Input does not match the expected shape.' },
  { what: 'of nothing', history: [null], words: 'messages.0: Input does not match the expected shape.' },
  {
    what: 'with a block of nothing',
    history: [user([null])],
    words: 'messages.0.content.0: Input does not match the expected shape.',
  },
  {
    what: 'that calls a tool which nobody could define',
    history: [user('Hi'), assistant([use('a', 'a b')]), user([result('a')])],
    words: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  },
  {
    what: 'whose tools are none',
    history: { tools: 'none', messages: answered },
    words: 'tools: Input should be a valid list',
  },
  { what: 'of no message', history: [], words: 'messages: at least one message is required' },
  { what: 'that is no list', history: { messages: 'Hi' }, words: 'messages: Input should be a valid list' },
  { what: 'that is nothing', history: null, words: 'Input does not match the expected shape.' },
  { what: 'that is a number', history: 7, words: 'Input does not match the expected shape.' },
];

describe('verifyHistory', () => {
  it.each(FINE)('finds nothing in a history $what', ({ history, options }) => {
    expect(verifyHistory(history, options)).toBeNull();
  });

  it.each(WRONG)('says of a history $what what the API would say', ({ history, words, options }) => {
    expect(verifyHistory(history, options)).toBe(words);
  });

  it('says that what has no end is not JSON', () => {
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 'Hi');
    expect(verifyHistory([user(deep)])).toBe(
      'The request body is not valid JSON: This is nested more than 500 levels deep',
    );
  });
});
