import { describe, expect, it } from 'vitest';
import { transcriptOf } from '../../src/journal/transcript.ts';
import type { JournalLine } from '../../src/ports.ts';
import { validateRequest } from '../../src/testing/index.ts';
import { verifyHistory, verifyJournal, verifyTranscript } from '../../src/verify/index.ts';
import { clean } from './recorded.ts';

/** What JSON may hold anywhere. The first one has no text that it could be shown as. */
const ODD: readonly unknown[] = [
  { toString: 1, valueOf: 1 },
  [[{ toString: 1 }]],
  { type: { toString: 1 } },
  {},
  [],
  null,
  5,
  true,
  'constructor',
  '__proto__',
];

/** The value with one of its parts, in turn each of them, replaced by each of the odd ones. */
function* replaced(value: unknown): Generator {
  yield* ODD;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    for (const other of replaced(part)) yield withPart(value, key, other);
  }
}

const withPart = (whole: object, key: string, part: unknown): unknown =>
  Array.isArray(whole) ? whole.with(Number(key), part) : { ...whole, [key]: part };

const cache = { cache_control: { type: 'ephemeral' } };
const messages = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Hi', citations: [] },
      { type: 'image', source: { type: 'base64', data: 'x' } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'x', signature: 's' },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'server_tool_use', id: 'open', name: 'web_search', input: {} },
      { type: 'tool_use', id: 'a', name: 't', input: { x: 1 } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'k' }], is_error: false },
    ],
  },
  { role: 'system', content: [{ type: 'text', text: 'Be short.' }] },
  { role: 'assistant', content: [{ type: 'mcp_tool_use', id: 'm', name: 'look', input: {} }] },
];
const request = {
  model: 'claude-sonnet-4-5',
  max_tokens: 4_000,
  system: [{ type: 'text', text: 's', ...cache }],
  stream: true,
  metadata: { user_id: 'u' },
  thinking: { type: 'enabled', budget_tokens: 2_000 },
  output_config: { effort: 'low', format: { schema: {} } },
  tool_choice: { type: 'tool', name: 't' },
  tools: [
    {
      name: 't',
      type: 'custom',
      description: 'd',
      input_schema: { type: 'object', properties: {} },
      ...cache,
    },
    { type: 'web_search_20250305', name: 'web_search' },
  ],
  messages,
};

/** A verifier, what is right, and how it is given what is changed. Of a journal its first lines are enough: all that follow are read alike. */
const ROWS: readonly (readonly [string, unknown, (value: unknown) => unknown])[] = [
  ['validateRequest', request, (body) => validateRequest(body, { version: '2026-10-21' })],
  ['verifyHistory, of a request', request, (body) => verifyHistory(body)],
  ['verifyHistory, of messages', messages, (history) => verifyHistory(history)],
  ['verifyHistory, of a document', { system: 's', messages }, (document) => verifyHistory(document)],
  ['verifyTranscript', transcriptOf(clean() as JournalLine[]), (document) => verifyTranscript(document)],
  ['verifyJournal', clean().slice(0, 5), (lines) => verifyJournal(Array.isArray(lines) ? lines : [lines])],
];

describe('a verifier believes nothing', () => {
  it.each(ROWS)('%s takes an odd value in any place, and does not throw', (_, right, verify) => {
    let changes = 0;
    for (const changed of replaced(JSON.parse(JSON.stringify(right)))) {
      expect(() => verify(changed)).not.toThrow();
      changes += 1;
    }
    expect(changes).toBeGreaterThan(200);
  });
});
