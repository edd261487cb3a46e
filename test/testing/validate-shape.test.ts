import { describe, expect, it } from 'vitest';
import { validateRequest } from '../../src/verify/api/index.ts';
import { body, result, saying, SHAPE, text, tool, user, type Row } from './bodies.ts';

const use = (changes: object = {}) => ({ type: 'tool_use', id: 'a', name: 't', input: {}, ...changes });
const calls = (changes: object) => saying(use(changes));
const message = (changes: object) => body({ messages: [{ ...user(text('hi')), ...changes }] });
const ID = "String should match pattern '^[a-zA-Z0-9_-]+$'";
const INTEGER = 'max_tokens: Input should be a valid integer';
const ROLE = "messages.0.role: Input should be 'user', 'assistant' or 'system'";

const BODY: readonly Row[] = [
  ['a list', [], SHAPE],
  ['no model', body({ model: undefined }), 'model: Field required'],
  ['no messages', body({ messages: undefined }), 'messages: Field required'],
  ['a model without a name', body({ model: '' }), 'model: Input should be a valid string'],
  ['a model that is a number', body({ model: 5 }), 'model: Input should be a valid string'],
  ['a model that nobody knows', body({ model: 'claude-9' }), 'model: claude-9'],
  ['half a token', body({ max_tokens: 1.5 }), INTEGER],
  ['tokens in words', body({ max_tokens: '5' }), INTEGER],
  [
    'fewer tokens than none',
    body({ max_tokens: -1 }),
    'max_tokens: Input should be greater than or equal to 0',
  ],
  ['no tokens', body({ max_tokens: 0 }), null],
  ['messages that are none', body({ messages: {} }), 'messages: Input should be a valid list'],
  ['no message', body({ messages: [] }), 'messages: at least one message is required'],
];

const MESSAGES: readonly Row[] = [
  ['a message that is a word', body({ messages: ['hi'] }), `messages.0: ${SHAPE}`],
  ['a message of nobody', message({ role: undefined }), 'messages.0.role: Field required'],
  ['a message of a tool', message({ role: 'tool' }), ROLE],
  ['a message with a name', message({ name: 'x' }), 'messages.0.name: Extra inputs are not permitted'],
  ['a message of nothing', message({ content: undefined }), 'messages.0.content: Field required'],
  ['a message that is a number', message({ content: 5 }), 'messages.0.content: Input should be a valid list'],
  ['a block that is a word', body({ messages: [user(text('a'), 'b')] }), `messages.0.content.1: ${SHAPE}`],
  ['a block of no type', body({ messages: [user({})] }), 'messages.0.content.0.type: Field required'],
  [
    'a text that says nothing',
    body({ messages: [user({ type: 'text' })] }),
    'messages.0.content.0.text.text: Field required',
  ],
];

const CALLS: readonly Row[] = [
  ['a call without a name', calls({ name: undefined }), 'messages.1.content.0.tool_use.name: Field required'],
  [
    'a call of nothing',
    calls({ name: '' }),
    'messages.1.content.0.tool_use.name: String should have at least 1 character',
  ],
  [
    'a call with an input that is a word',
    calls({ input: 'x' }),
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ],
  [
    'a call without an input',
    calls({ input: null }),
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ],
  ...['', 'x'.repeat(201)].map((name): Row => [
    `a text with a name of ${name.length} characters`,
    body({ messages: [user({ ...text('x'), name })] }),
    'messages.0.content.0.text.name: Extra inputs are not permitted',
  ]),
  [
    'a call with an endless name',
    calls({ name: 'x'.repeat(201) }),
    'messages.1.content.0.tool_use.name: String should have at most 200 characters',
  ],
  [
    'a call with a long name',
    body({
      tools: [tool()],
      messages: [
        user(text('hi')),
        { role: 'assistant', content: [use({ name: 'x'.repeat(200) })] },
        user(result('a')),
      ],
    }),
    null,
  ],
  ['a call with a space in its id', calls({ id: 'a b' }), `messages.1.content.0.tool_use.id: ${ID}`],
  [
    'a result with a space in its id',
    body({ messages: [user(result('a b'))] }),
    `messages.0.content.0.tool_result.id: ${ID}`,
  ],
];

const WORDS: readonly Row[] = [
  ['a stream that is a word', body({ stream: 'x' }), 'stream: Input should be a valid boolean'],
  ['a system that is a number', body({ system: 5 }), 'system: Input should be a valid string or list'],
  ['a system that is a list', body({ system: [text('x')] }), null],
  ['metadata that are a list', body({ metadata: [] }), 'metadata: Input should be a valid dictionary'],
  ['a metadata that is null', body({ metadata: null }), null],
];

describe('the validator', () => {
  it.each([...BODY, ...MESSAGES, ...CALLS, ...WORDS])('says of %s what the API says', (_, asked, words) => {
    expect(validateRequest(asked, { version: '2026-10-21' })?.message ?? null).toBe(words);
  });

  it.each([
    { model: 'claude-9', status: 404, type: 'not_found_error' },
    { model: '', status: 400, type: 'invalid_request_error' },
  ])('answers $status $type to the model "$model"', ({ model, status, type }) => {
    expect(validateRequest(body({ model }), { version: '2026-10-21' })).toMatchObject({ status, type });
  });

  it.each([
    { id: 'own-model', models: ['own-model'], isKnown: true },
    { id: 'own-model', models: ['other'], isKnown: false },
    { id: 'own-model', models: 'any' as const, isKnown: true },
    { id: 'claude-haiku-5-5', models: ['other'], isKnown: true },
    { id: 'claude-haiku-4-5-20251001', models: [], isKnown: true },
    { id: 'claude-3-5-haiku-latest', models: [], isKnown: true },
    { id: 'claude-haiku-4-5-2025', models: [], isKnown: false },
    { id: 'claude-haiku-5-5x', models: [], isKnown: false },
    { id: 'my-claude-haiku-5-5', models: [], isKnown: false },
  ])('knows $id beside $models: $isKnown', ({ id, models, isKnown }) => {
    const refusal = validateRequest(body({ model: id }), { version: '2026-10-21', models });
    expect(refusal === null).toBe(isKnown);
  });
});
