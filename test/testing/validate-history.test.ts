import { describe, expect, it } from 'vitest';
import { validateRequest } from '../../src/verify/api/index.ts';
import { body, result, text, tool, user, type Row } from './bodies.ts';

const says = (...content: readonly unknown[]) => ({ role: 'assistant', content });
const system = (...content: readonly unknown[]) => ({ role: 'system', content });
const use = (id: string) => ({ type: 'tool_use', id, name: 't', input: {} });
const search = (id: string) => ({ type: 'server_tool_use', id, name: 'web_search', input: {} });
const found = (id: string) => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });
const mcp = { type: 'mcp_tool_use', id: 'm', name: 'look', server_name: 's', input: {} };
const other = (type: string) => ({ type, text: '' });
const document = { type: 'document', source: {} };
const thinking = (signature: string) => ({ type: 'thinking', thinking: 'x', signature });

const hi = user(text('hi'));
const history = (...messages: readonly unknown[]) => body({ messages, tools: [tool()] });
const older = (...messages: readonly unknown[]) =>
  body({ messages, tools: [tool()], model: 'claude-sonnet-4-5' });
const thinks = (...messages: readonly unknown[]) =>
  body({
    messages,
    tools: [tool()],
    model: 'claude-sonnet-4-5',
    max_tokens: 2_000,
    thinking: { type: 'enabled', budget_tokens: 1_024 },
  });

const FIRST = 'messages: first message must use the "user" role';
const PREFILL =
  'This model does not support assistant message prefill. The conversation must end with a user message.';
const THINKING_PREFILL =
  'This request is a prefill, and thinking is enabled: the final message must be of the user.';
const WHITESPACE = 'messages: text content blocks must contain non-whitespace text';
const isEmpty = (index: number) =>
  `messages.${index}: all messages must have non-empty content except for the optional final assistant message`;
const isUnanswered = (index: number, ids: string) =>
  `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
const isUnexpected = (place: string, id: string) =>
  `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
const hasNoCall = (place: string, type: string, id: string) =>
  `${place}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`;
const isOpen = (name: string, id: string) =>
  `\`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`;
const isMisplaced = (index: number) =>
  `messages.${index}: a system message must follow a user turn and precede an assistant turn`;
const isThoughtless = (index: number, type: string) =>
  `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`;

const ENDS: readonly Row[] = [
  ['a compaction first', history(says({ type: 'compaction', content: 'x' }), hi), null],
  ['an assistant with text first', history(says(text('x')), hi), FIRST],
  ['a system first', history(system(text('x')), hi), FIRST],
  ['an empty user', history(user()), isEmpty(0)],
  ['an empty user in words', history({ role: 'user', content: '' }), isEmpty(0)],
  ['an empty assistant in words', history(hi, { role: 'assistant', content: '' }, hi), isEmpty(1)],
  ['a blank user in words', history({ role: 'user', content: ' ' }), WHITESPACE],
  ['a blank text behind another', history(user(text('x'), text('\n'))), WHITESPACE],
  ['no text in an unknown block', history(hi, says(other('new'), text('x')), hi), null],
  ['an empty assistant last', older(hi, says()), null],
  ['an empty assistant in words last', older(hi, { role: 'assistant', content: '' }), null],
  ['an assistant last', older(hi, says(text(' x'))), null],
  ['an unknown block last', older(hi, says(text('x '), other('new'))), null],
  [
    'an assistant last, of the first model without a prefill',
    body({ model: 'claude-opus-4-6', messages: [hi, says(text('x'))] }),
    PREFILL,
  ],
  ['an open call of a server last', history(hi, says(mcp)), null],
  ['a result of the API last', history(hi, says(search('s'), found('s'))), null],
  ['a block like an open call last', history(hi, says(other('server_tool_use2'))), PREFILL],
  ['another block like an open call last', history(hi, says(other('my_mcp_tool_use'))), PREFILL],
];

const MANUAL: readonly Row[] = [
  ['a prefill', thinks(hi, says(text('x'))), THINKING_PREFILL],
  ['a pause', thinks(hi, says(search('s'))), null],
  ['talk without a thought', thinks(hi, says(text('x')), hi), null],
  ['an answer behind a thought', thinks(hi, says(thinking('s'), use('a')), user(result('a'))), null],
  [
    'an answer behind a hidden thought',
    thinks(hi, says({ type: 'redacted_thinking', data: 'x' }, use('a')), user(result('a'))),
    null,
  ],
  [
    'an answer and words without a thought',
    thinks(hi, says(text('x'), use('a')), user(result('a'), text('y'))),
    isThoughtless(1, 'text'),
  ],
  [
    'an answer behind a thought, and an earlier one without',
    thinks(hi, says(use('a')), user(result('a')), says(thinking('s'), use('b')), user(result('b'))),
    null,
  ],
  [
    'an answer without a thought, and an earlier one with it',
    thinks(hi, says(thinking('s'), use('a')), user(result('a')), says(use('b')), user(result('b'))),
    isThoughtless(3, 'tool_use'),
  ],
  ['an answer to nobody', thinks(user(result('a'))), isUnexpected('messages.0.content.0', 'a')],
];

const PAIRS: readonly Row[] = [
  [
    'a call without a thought, where thinking is adaptive',
    body({
      thinking: { type: 'adaptive' },
      tools: [tool()],
      messages: [hi, says(use('a')), user(result('a'))],
    }),
    null,
  ],
  [
    'a late result',
    history(hi, says(use('a')), user(result('a')), says(text('x')), user(result('a'))),
    isUnexpected('messages.4.content.0', 'a'),
  ],
  [
    'a result of the user for a call of the API',
    history(hi, says(search('s')), user(result('s'))),
    isUnexpected('messages.2.content.0', 's'),
  ],
  ['two open calls', history(hi, says(text('x'), use('a'), use('b')), hi), isUnanswered(1, 'a, b')],
  [
    'a second id that is used again',
    history(hi, says(use('a'), use('b')), user(result('a'), result('b')), says(use('b')), hi),
    'messages.3.content.0: `tool_use` ids must be unique',
  ],
  [
    'a result by the system',
    history(hi, says(use('a'), search('s'), found('s')), system(result('a'))),
    isUnanswered(1, 'a'),
  ],
  [
    'no tools',
    body({ tools: [], messages: [hi, says(text('x'), use('a')), user(result('a'))] }),
    'Requests which include `tool_use` or `tool_result` blocks must define tools',
  ],
];

const OWN: readonly Row[] = [
  ['a result of a server', history(hi, says(mcp, { type: 'mcp_tool_result', tool_use_id: 'm' }), hi), null],
  [
    'a result before its call',
    history(hi, says(found('s'), search('s')), hi),
    hasNoCall('messages.1.content.0', 'web_search_tool_result', 's'),
  ],
  [
    'a result of what only looks like a call',
    history(hi, says({ ...search('s'), type: 'server_tool_used' }, found('s')), hi),
    hasNoCall('messages.1.content.1', 'web_search_tool_result', 's'),
  ],
  [
    'a result of what looks like a call, too',
    history(hi, says({ ...search('s'), type: 'my_server_tool_use' }, found('s')), hi),
    hasNoCall('messages.1.content.1', 'web_search_tool_result', 's'),
  ],
  [
    'a result with an odd id',
    history(hi, says({ type: 'x_tool_result', tool_use_id: 'a b' }), hi),
    hasNoCall('messages.1.content.0', 'x_tool_result', 'a b'),
  ],
  ['a result of the API that names no call', history(hi, says({ type: 'x_tool_result' }), hi), null],
  ['an open call and words', history(hi, says(text('x'), search('s')), hi), isOpen('web_search', 's')],
  ['an open call of a server and words', history(hi, says(mcp), hi), isOpen('look', 'm')],
  [
    'an open call, a result and words',
    history(hi, says(search('s'), use('a')), user(result('a'), text('x'))),
    isOpen('web_search', 's'),
  ],
  ['an open call and a result', history(hi, says(search('s'), use('a')), user(result('a'))), null],
  [
    'a call with its result behind that of the user',
    history(hi, says(search('s'), use('a')), user(result('a')), says(found('s'), text('x')), hi),
    null,
  ],
];

const SYSTEM: readonly Row[] = [
  ['two in a row', history(hi, system(text('x')), system(text('y')), says(text('z')), hi), null],
  ['one before the user', history(hi, system(text('x')), hi), isMisplaced(1)],
  ['two before the user', history(hi, system(text('x')), system(text('y')), hi), isMisplaced(1)],
  [
    'one between messages of the assistant',
    history(hi, says(text('x')), system(text('y')), says(text('z')), hi),
    isMisplaced(2),
  ],
  ['one behind the assistant', history(hi, says(text('x')), system(text('y'))), isMisplaced(2)],
  [
    'one behind words of the assistant',
    history(hi, { role: 'assistant', content: 'x' }, system(text('y'))),
    isMisplaced(2),
  ],
  ['one behind a result of the API', history(hi, says(search('s'), found('s')), system(text('x'))), null],
];

const EACH: readonly Row[] = [
  ['a document of the user', history(user(document)), null],
  ['citations of the assistant', history(hi, says({ ...text('x'), citations: [{}] }), hi), null],
  [
    'citations of a block of the API',
    history(user(text('x'), { type: 'tool_reference', citations: [{}] })),
    null,
  ],
  ['no signature of an unknown block', history(hi, says({ type: 'new', signature: '' }), hi), null],
  ['no citations of the user', history(user({ ...text('x'), citations: [] })), null],
  [
    'a second thought without a signature',
    history(hi, says(thinking('s'), thinking(''), text('x')), hi),
    'messages.1.content.1: Invalid `signature` in `thinking` block',
  ],
];

const said = (asked: unknown, version = '2026-10-21') => validateRequest(asked, { version })?.message ?? null;

describe('the validator', () => {
  it.each([...ENDS, ...PAIRS, ...EACH])('says of a history with %s what the API says', (_, asked, words) => {
    expect(said(asked)).toBe(words);
  });

  it.each(MANUAL)('says of %s, with a budget for thinking, what the API says', (_, asked, words) => {
    expect(said(asked)).toBe(words);
  });

  it.each(OWN)('says of %s, of tools of the API, what the API says', (_, asked, words) => {
    expect(said(asked)).toBe(words);
  });

  it.each(SYSTEM)('says of messages of the system, %s, what the API says', (_, asked, words) => {
    expect(said(asked)).toBe(words);
  });

  it.each([
    ['a document of the assistant', history(hi, says(document), hi)],
    ['citations of the user', history(user({ ...text('x'), citations: [{}] }))],
  ])('takes %s with the older version', (_, asked) => {
    expect(said(asked, '2023-06-01')).toBeNull();
  });

  it.each([
    { continuesPause: true, words: null },
    { continuesPause: false, words: PREFILL },
  ])('takes a text of the assistant last where it continues a pause: $continuesPause', (row) => {
    const { words, continuesPause } = row;
    const refusal = validateRequest(history(hi, says(text('x'))), { version: '2026-10-21', continuesPause });
    expect(refusal?.message ?? null).toBe(words);
  });
});
