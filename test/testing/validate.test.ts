import { describe, expect, it } from 'vitest';
import { validateRequest } from '../../src/verify/api/index.ts';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const text = (words: string) => ({ type: 'text', text: words });
const use = (id: string) => ({ type: 'tool_use', id, name: 't', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const tool = (changes: object = {}) => ({
  name: 't',
  description: '',
  input_schema: { type: 'object' },
  ...changes,
});

const body = (changes: object) => ({
  model: 'claude-haiku-5-5',
  max_tokens: 1_000,
  messages: [user('Hi')],
  ...changes,
});
const history = (...messages: readonly unknown[]) => ({ messages, tools: [tool()] });

const pair = history(user('Hi'), assistant([use('a')]), user([result('a')]));

const VALID: readonly (readonly [string, object])[] = [
  [
    'a server tool and its result',
    history(
      user('Hi'),
      assistant([
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
        text('So.'),
      ]),
      user('And?'),
    ),
  ],
  ['a message of the system behind the user', history(user('Hi'), { role: 'system', content: 'Be short.' })],
  ['a task', {}],
  ['a call and its result', pair],
  [
    'results in another order than the calls',
    history(user('Hi'), assistant([use('a'), use('b')]), user([result('b'), result('a')])),
  ],
  [
    'results in two messages of the user',
    history(user('Hi'), assistant([use('a'), use('b')]), user([result('a')]), user([result('b')])),
  ],
  [
    'text behind the results',
    history(user('Hi'), assistant([use('a')]), user([result('a'), text('Go on.')])),
  ],
  ['two messages of the user in a row', history(user('Hi'), user('there'))],
  ['unknown blocks', history(user('Hi'), assistant([{ type: 'new', x: 1 }, text('a')]), user('b'))],
  [
    'a paused turn as the last message',
    history(user('Hi'), assistant([{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }])),
  ],
  ['tools that cannot be called', { ...pair, tool_choice: { type: 'none' } }],
  ['effort', { output_config: { effort: 'medium' } }],
  ['an older model with its date', { model: 'claude-haiku-4-5-20251001' }],
];

const REFUSED: readonly (readonly [string, object, string])[] = [
  [
    'thinking without a signature',
    history(
      user('Hi'),
      assistant([{ type: 'thinking', thinking: 'x', signature: '' }, text('a')]),
      user('b'),
    ),
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  [
    'a result of a server tool without its call',
    history(
      user('Hi'),
      assistant([{ type: 'advisor_tool_result', tool_use_id: 's', content: [] }, text('a')]),
      user('b'),
    ),
    'messages.1.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks: s. Each `advisor_tool_result` block must have a corresponding `server_tool_use` block before it.',
  ],
  [
    'a document of the assistant',
    history(user('Hi'), assistant([{ type: 'document', source: {} }, text('a')]), user('b')),
    "messages.1.content.0: Input tag 'document' is not permitted in assistant messages",
  ],
  [
    'citations of the user',
    history(user([{ ...text('a'), citations: [{}] }])),
    'messages.0.content.0.text.citations: Extra inputs are not permitted',
  ],
  [
    'a message of the system behind the assistant',
    history(user('Hi'), assistant('a'), { role: 'system', content: 'x' }),
    'messages.2: a system message must follow a user turn and precede an assistant turn',
  ],
  [
    'a call without its result',
    history(user('Hi'), assistant([use('a'), use('b')]), user([result('a')])),
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  [
    'a result behind text',
    history(user('Hi'), assistant([use('a')]), user([text('x'), result('a')])),
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  [
    'a call as the last message',
    history(user('Hi'), assistant([use('a')])),
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  [
    'a result without its call',
    history(user('Hi'), assistant([text('x')]), user([result('a')])),
    'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'two results of one call',
    history(user('Hi'), assistant([use('a')]), user([result('a'), result('a')])),
    'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  ],
  [
    'two calls with one id',
    history(user('Hi'), assistant([use('a'), use('a')]), user([result('a')])),
    'messages.1.content.1: `tool_use` ids must be unique',
  ],
  [
    'an empty message',
    history(user('Hi'), assistant([]), user('x')),
    'messages.1: all messages must have non-empty content except for the optional final assistant message',
  ],
  ['an empty text', history(user([text('')])), 'messages: text content blocks must be non-empty'],
  [
    'a blank text',
    history(user([text(' \n')])),
    'messages: text content blocks must contain non-whitespace text',
  ],
  [
    'an assistant first',
    history(assistant('Hi'), user('x')),
    'messages: first message must use the "user" role',
  ],
  [
    'an assistant last',
    history(user('Hi'), assistant('Well')),
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  [
    'an assistant last that ends in a space',
    { model: 'claude-sonnet-4-5', ...history(user('Hi'), assistant('Well ')) },
    'messages: final assistant content cannot end with trailing whitespace',
  ],
  [
    'tool blocks without tools',
    { ...pair, tools: undefined },
    'Requests which include `tool_use` or `tool_result` blocks must define tools',
  ],
  [
    'a choice without tools',
    { tool_choice: { type: 'none' } },
    'tool_choice: tool_choice may only be specified while providing tools.',
  ],
  [
    'a forced tool on a new model',
    { ...pair, model: 'claude-opus-5-5', tool_choice: { type: 'any' } },
    'tool_choice: type `tool` and `any` are not supported for this model',
  ],
  [
    'a tool name with a dot',
    { tools: [tool({ name: 'a.b' })] },
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  ['two tools of one name', { tools: [tool(), tool()] }, 'tools: Tool names must be unique.'],
  [
    'a schema of a string',
    { tools: [tool({ input_schema: { type: 'string' } })] },
    "tools.0.custom.input_schema.type: Input should be 'object'",
  ],
  [
    'a choice of schemas',
    { tools: [tool({ input_schema: { type: 'object', anyOf: [] } })] },
    'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
  ],
  ['a model that is not there', { model: 'claude-nothing-9' }, 'model: claude-nothing-9'],
  ['sampling parameters', { temperature: 0 }, 'temperature: Extra inputs are not permitted'],
  ['an unknown field', { nope: 1 }, 'nope: Extra inputs are not permitted'],
  ['no max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
  [
    'thinking with a budget on a new model',
    { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  ],
  [
    'adaptive thinking on an old model',
    { model: 'claude-haiku-4-5', thinking: { type: 'adaptive' } },
    'adaptive thinking is not supported on this model',
  ],
  [
    'an effort that the model has not',
    { model: 'claude-opus-4-6', output_config: { effort: 'xhigh' } },
    "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
  ],
];

/** JSON has no undefined: fields that are undefined are not there. */
const json = (changes: object): unknown => JSON.parse(JSON.stringify(body(changes)));

describe('the validator', () => {
  it.each(VALID)('accepts %s', (_, changes) => {
    expect(validateRequest(json(changes), { version: '2026-10-21' })).toBeNull();
  });

  it.each(REFUSED)('refuses %s, in the words of the API', (_, changes, message) => {
    expect(validateRequest(json(changes), { version: '2026-10-21' })?.message).toBe(message);
  });

  it('takes sampling parameters with the older version', () => {
    expect(validateRequest(json({ temperature: 0 }), { version: '2023-06-01' })).toBeNull();
  });

  it('names places as the API does, where messages of one role in a row are one', () => {
    const merged = json(history(user('Hi'), user([result('a')])));
    expect(validateRequest(merged, { version: '2026-10-21' })?.message).toMatch(
      /^messages\.0\.content\.1: unexpected/,
    );
  });
});
