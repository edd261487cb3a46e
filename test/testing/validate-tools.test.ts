import { describe, expect, it } from 'vitest';
import { validateRequest } from '../../src/verify/api/index.ts';
import { body, isNoTag, result, saying, SHAPE, text, tool, user, type Row } from './bodies.ts';

const defines = (changes: object) => body({ tools: [tool(changes)] });
const NAME = "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'";

const TOOLS: readonly Row[] = [
  ['tools that are none', body({ tools: {} }), 'tools: Input should be a valid list'],
  ['no tools', body({ tools: [] }), null],
  ['two tools', body({ tools: [tool(), tool({ name: 'u' })] }), null],
  ['a tool that is a word', body({ tools: ['t'] }), `tools.0: ${SHAPE}`],
  [
    'tools that are words and one that is deferred',
    body({ tools: [null, tool({ defer_loading: true })] }),
    `tools.0: ${SHAPE}`,
  ],
  ['two tools without names', body({ tools: [{}, {}] }), 'tools.0.custom.name: Field required'],
  ['a custom tool', defines({ type: 'custom' }), null],
  ['a tool of no type', defines({ type: null }), null],
  ['a tool whose type is a number', defines({ type: 5 }), isNoTag('tools.0', '5')],
  [
    'a tool of the API with more behind its date',
    defines({ type: 'bash_20250124x' }),
    isNoTag('tools.0', '"bash_20250124x"'),
  ],
  [
    'a tool of the API with more before its name',
    defines({ type: '!bash_20250124' }),
    isNoTag('tools.0', '"!bash_20250124"'),
  ],
  ['a tool whose type is a list', defines({ type: ['mcp_toolset'] }), isNoTag('tools.0', '["mcp_toolset"]')],
  ['tools of a server', body({ tools: [{ type: 'mcp_toolset' }] }), null],
  ['a tool whose name is a number', defines({ name: 5 }), NAME],
  [
    'a tool without a schema',
    defines({ input_schema: undefined }),
    'tools.0.custom.input_schema: Field required',
  ],
  ['a schema of no type', defines({ input_schema: {} }), 'tools.0.custom.input_schema.type: Field required'],
  [
    'a schema with all of some',
    defines({ input_schema: { type: 'object', allOf: [] } }),
    'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
  ],
  [
    'a description that is a number',
    defines({ description: 5 }),
    'tools.0.custom.description: Input should be a valid string',
  ],
  [
    'a tool with a breakpoint of an unknown type',
    defines({ cache_control: { type: 'zz' } }),
    "tools.0.custom.cache_control.type: Input should be 'ephemeral'",
  ],
  [
    'required that is a word',
    defines({ input_schema: { type: 'object', required: 'x' } }),
    'tools.0.custom.input_schema: JSON schema is invalid. required: Input should be a valid list',
  ],
  [
    'properties that are a word',
    defines({ input_schema: { type: 'object', properties: 'x' } }),
    'tools.0.custom.input_schema: JSON schema is invalid. properties: Input should be a valid dictionary',
  ],
  ['a schema with both', defines({ input_schema: { type: 'object', properties: {}, required: [] } }), null],
];

const cache = { cache_control: { type: 'ephemeral' } };
const marked = (count: number) => Array.from({ length: count }, (_, n) => ({ ...text(`x${n}`), ...cache }));
const tooMany = (count: number) =>
  `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`;

const BLOCKS: readonly Row[] = [
  [
    'a block that every object has',
    body({ messages: [user({ type: 'constructor' })] }),
    isNoTag('messages.0.content.0', 'constructor'),
  ],
  [
    'a block of the API with more before its type',
    body({ messages: [user({ type: '!compaction' })] }),
    isNoTag('messages.0.content.0', '!compaction'),
  ],
  [
    'a result of a tool of the API',
    body({ messages: [user({ type: 'bash_tool_result' }, text('x'))] }),
    null,
  ],
  [
    'an image of the assistant',
    saying({ type: 'image', source: {} }),
    'messages.1.content.0: `image` blocks can only be in `user` messages',
  ],
  [
    'an image of the system',
    body({ messages: [user(text('x')), { role: 'system', content: [{ type: 'image', source: {} }] }] }),
    null,
  ],
  [
    'a text with a field of every object',
    body({ messages: [user({ ...text('x'), constructor: 1 })] }),
    'messages.0.content.0.text.constructor: Extra inputs are not permitted',
  ],
  [
    'a text with a breakpoint of an unknown type',
    body({ messages: [user({ ...text('x'), cache_control: { type: 'zz' } })] }),
    "messages.0.content.0.text.cache_control.type: Input should be 'ephemeral'",
  ],
  [
    'a text with a breakpoint that is a word',
    body({ messages: [user({ ...text('x'), cache_control: 'ephemeral' })] }),
    'messages.0.content.0.text.cache_control: Input should be a valid dictionary',
  ],
  [
    'thinking that is null',
    saying({ type: 'thinking', thinking: null, signature: 'x' }, text('y')),
    'messages.1.content.0.thinking.thinking: Input should be a valid string',
  ],
  [
    'a result of neither text nor list',
    body({ messages: [user({ ...result('a'), content: 5 })] }),
    'messages.0.content.0.tool_result.content: Input should be a valid string or list',
  ],
  [
    'breakpoints in system, tools and messages',
    body({ system: marked(2), tools: [tool(cache)], messages: [user(...marked(2))] }),
    tooMany(5),
  ],
  [
    'what looks like breakpoints in an input',
    body({
      tools: [tool()],
      messages: [
        user(text('hi')),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 't', input: { all: marked(5) } }] },
        user(result('a')),
      ],
    }),
    null,
  ],
  [
    'breakpoints within a result',
    body({ messages: [user({ ...result('a'), ...cache, content: marked(4) })] }),
    tooMany(5),
  ],
];

describe('the validator', () => {
  it.each([...TOOLS, ...BLOCKS])('says of %s what the API says', (_, asked, words) => {
    expect(validateRequest(asked, { version: '2026-10-21' })?.message ?? null).toBe(words);
  });
});
