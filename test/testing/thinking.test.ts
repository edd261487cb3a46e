import { describe, expect, it, onTestFinished } from 'vitest';
import { says, text, thinking, toolUse } from '../../src/testing/reply.ts';
import { startStrictServer } from '../../src/testing/server.ts';

type Block = Readonly<Record<string, unknown>>;

const HEADERS = { 'x-api-key': 'k', 'anthropic-version': '2026-10-21', 'content-type': 'application/json' };
const tools = [{ name: 't', description: 'd', input_schema: { type: 'object' } }];
const system = [{ type: 'text', text: 'Be short.' }];
const hi = { role: 'user', content: 'Hi' };

interface Changes {
  readonly model?: string;
  readonly body?: object;
  readonly first?: object;
  readonly content?: (blocks: readonly Block[]) => readonly Block[];
}

/** Asks, changes what came back, and asks again with it. @returns the second answer */
async function askAgain({
  model = 'claude-opus-5-5',
  body = {},
  first = hi,
  content = (same) => same,
}: Changes) {
  const server = await startStrictServer({
    respond: () => says(thinking('hm'), text('Let me see.'), toolUse('t', {}, 'toolu_1')),
  });
  onTestFinished(() => server.close());
  const post = (request: object) =>
    fetch(`${server.url}/v1/messages`, { method: 'POST', headers: HEADERS, body: JSON.stringify(request) });
  const asked = { model: 'claude-opus-5-5', max_tokens: 100, tools, system, messages: [hi] };
  const answer = (await (await post({ ...asked, model })).json()) as { readonly content: readonly Block[] };
  const messages = [
    first,
    { role: 'assistant', content: content(answer.content) },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] },
  ];
  const response = await post({ ...asked, model, messages, ...body });
  return { status: response.status, text: await response.text() };
}

const without = (blocks: readonly Block[]) => blocks.filter(({ type }) => type !== 'thinking');

describe('thinking that comes back', () => {
  it.each<[string, Changes]>([
    ['as it was', {}],
    ['behind the same words as a list', { first: { role: 'user', content: [{ type: 'text', text: 'Hi' }] } }],
    [
      'with a marker of the cache elsewhere',
      { body: { system: [{ ...system[0], cache_control: { type: 'ephemeral' } }] } },
    ],
    ['for another model, which drops it', { body: { model: 'claude-sonnet-5-5' } }],
    [
      'for a model that binds nothing, behind other words',
      { model: 'claude-haiku-4-5', first: { role: 'user', content: 'Ho' } },
    ],
    [
      'behind other words, to be dropped',
      {
        first: { role: 'user', content: 'Ho' },
        body: { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } },
      },
    ],
    [
      'of another API',
      {
        content: (blocks) => [
          { type: 'thinking', thinking: 'x', signature: 'Zm9yZWlnbg==' },
          ...without(blocks),
        ],
        first: { role: 'user', content: 'Ho' },
      },
    ],
  ])('%s, is accepted', async (_, changes) => {
    expect(await askAgain(changes)).toMatchObject({ status: 200 });
  });

  it.each<[string, Changes, string]>([
    ['behind other words', { first: { role: 'user', content: 'Ho' } }, 'bound to a different conversation'],
    [
      'with other tools',
      { body: { tools: [{ ...tools[0], description: 'other' }] } },
      'bound to a different conversation',
    ],
    ['with another system', { body: { system: 'Be long.' } }, 'bound to a different conversation'],
    [
      'with a changed signature',
      {
        content: ([block, ...rest]) => [{ ...block, signature: `${String(block?.['signature'])}x` }, ...rest],
      },
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    ],
    ['no more', { content: without }, 'blocks in the latest assistant message cannot be modified'],
    [
      'behind the call',
      { content: (blocks) => [...without(blocks), ...blocks.slice(0, 1)] },
      'blocks in the latest assistant message cannot be modified',
    ],
    [
      'twice',
      { content: (blocks) => [...blocks.slice(0, 1), ...blocks] },
      'blocks in the latest assistant message cannot be modified',
    ],
  ])('%s, is refused', async (_, changes, message) => {
    const { status, text: words } = await askAgain(changes);
    expect(status).toBe(400);
    expect(words).toContain(message);
  });
});
