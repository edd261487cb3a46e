import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/history/blocks.ts';
import { Inbox } from '../../src/inbox.ts';
import type { ContentBlock, Message, ModelRequest } from '../../src/ports.ts';
import { validateRequest } from '../../src/verify/api/index.ts';
import { runs } from '../properties/runs.ts';
import { failure, play, replies, text, toolUse, type Turn, type World } from '../support/world.ts';

const thinking: ContentBlock = { type: 'thinking', thinking: '', signature: 'c2ln' };
const unknown: ContentBlock = { type: 'new_block', nested: { a: [1, null] } };

/** The messages of the second request of a run whose first response is this. */
async function afterResponse(content: readonly ContentBlock[]): Promise<readonly Message[] | undefined> {
  const { requests } = await play({ turns: [replies(content), replies([text('Done.')])] });
  return requests[1]?.messages;
}

describe('the history', () => {
  it.each([
    { id: 'A05', blank: text('') },
    { id: 'A06', blank: text(' \n') },
  ])('$id: leaves out a blank text beside a call, and nothing else', async ({ blank }) => {
    const messages = await afterResponse([thinking, blank, toolUse('a'), unknown]);
    expect(messages?.[1]).toEqual({ role: 'assistant', content: [thinking, toolUse('a'), unknown] });
  });

  it('A03: holds what the model said once, whole and in place', async () => {
    const content = [thinking, text('I look.'), toolUse('a'), toolUse('b'), unknown];
    const messages = await afterResponse(content);
    expect(messages?.[1]?.content).toEqual(content);
    expect(messages).toHaveLength(3);
  });

  it('A07: of an empty answer has nothing that the API refuses, and can go on', async () => {
    const inbox = new Inbox();
    const { requests } = await play({
      inbox,
      turns: [
        async () => {
          inbox.put({ kind: 'interjection', text: 'Go on.' });
          await new Promise((resolve) => setImmediate(resolve));
          return replies([]);
        },
        replies([text('Done.')]),
      ],
    });
    expect(requests[1]?.messages).toEqual([{ role: 'user', content: [text('Do it.'), text('Go on.')] }]);
  });

  it.each(['refusal', 'model_context_window_exceeded'])(
    'has nothing of a response that ended with %s',
    async (reason) => {
      const { lines, requests } = await play({
        turns: [replies([toolUse('a')]), replies([text('x')], reason)],
      });
      expect(requests).toHaveLength(2);
      expect(lines.filter(({ type }) => type === 'tool.finished')).toHaveLength(1);
    },
  );

  it('has nothing of a failed or of a replaced attempt (G06)', async () => {
    const { requests } = await play({
      turns: [
        failure({ billing: 'partial' }),
        replies([text('Hello wor')], 'max_tokens'),
        replies([text('Hello world')]),
      ],
    });
    expect(requests.map(({ messages }) => messages)).toEqual([
      requests[0]?.messages,
      requests[0]?.messages,
      requests[0]?.messages,
    ]);
    expect(requests.map(({ max_tokens: max }) => max)).toEqual([16_000, 16_000, 32_000]);
  });

  it('sends a paused turn back as the last message, and lets words wait until it resolves (B20)', async () => {
    const inbox = new Inbox();
    const paused = [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }];
    const { requests } = await play({
      inbox,
      turns: [
        async () => {
          inbox.put({ kind: 'interjection', text: 'Hurry.' });
          await new Promise((resolve) => setImmediate(resolve));
          return replies(paused, 'pause_turn');
        },
        replies([text('Found.')]),
        replies([text('Done.')]),
      ],
    });
    expect(requests[1]?.messages.at(-1)).toEqual({ role: 'assistant', content: paused });
    expect(requests[2]?.messages.at(-1)).toEqual({ role: 'user', content: [text('Hurry.')] });
  });

  it('names no tools and no choice in a run that has none', async () => {
    const { requests } = await play({
      turns: [replies([text('Done.')])],
      header: { tools: [], system: ' ' },
      limits: { maxTurns: 1 },
    });
    expect(Object.keys(requests[0] ?? {}).toSorted()).toEqual(['max_tokens', 'messages', 'model']);
  });
});

describe('the text of a response', () => {
  it.each([
    { content: [text('a'), text('b')], joined: 'ab' },
    { content: [text('a'), toolUse('x'), text('b')], joined: 'a\n\nb' },
    { content: [toolUse('x')], joined: '' },
    { content: [{ type: 'text', text: 7 }], joined: '' },
    { content: [text(' a '), text('')], joined: 'a' },
  ])('of $content is $joined', ({ content, joined }) => {
    expect(textOf(content)).toBe(joined);
  });
});

// ---- Whatever happens

const blocks = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('a', 'Some words.', '', ' \n', '汉字🚀').map(text) },
    { weight: 1, arbitrary: fc.constant(thinking) },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom('read', 'write', 'unknown')
        .map((name) => ({ type: 'tool_use', name, input: {} })),
    },
  ),
  { maxLength: 5 },
);

const turn = fc.record({
  content: blocks,
  reason: fc.constantFrom(
    null,
    null,
    null,
    null,
    'max_tokens',
    'pause_turn',
    'refusal',
    'stop_sequence',
    'odd',
  ),
  fails: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  billed: fc.boolean(),
});

const worlds = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 12 }),
  maxTurns: fc.integer({ min: 1, max: 6 }),
  onLimit: fc.constantFrom('summarise' as const, 'stop' as const, 'ask' as const),
  tokens: fc.option(fc.integer({ min: 3_000, max: 60_000 })),
  denies: fc.boolean(),
  outcome: fc.constantFrom('succeeded' as const, 'failed' as const),
});

type Sketch = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

function worldOf(sketch: Sketch): World {
  let calls = 0;
  const turns = sketch.turns.map(({ content, reason, fails, billed }): Turn => {
    if (fails) return failure();
    const named = content.map((block) => {
      calls += 1;
      return block.type === 'tool_use' ? { ...block, id: `call_${calls}` } : block;
    });
    return replies(named, reason ?? undefined, billed ? { input_tokens: 500, output_tokens: 50 } : null);
  });
  return {
    turns: turns.concat(Array.from({ length: 60 }, () => replies([text('Enough.')]))),
    limits: { maxTurns: sketch.maxTurns, budget: { nanoUsd: null, tokens: sketch.tokens } },
    header: { onLimit: sketch.onLimit },
    box: { asks: ['write'], run: async () => ({ kind: sketch.outcome, content: '' }) },
    approver: {
      decide: async () =>
        sketch.denies
          ? { decision: 'deny', by: 'person', reason: null }
          : { decision: 'approve', by: 'person' },
      raiseLimit: async () => (sketch.denies ? 0 : 1),
    },
  };
}

const isPrefix = (earlier: ModelRequest, later: ModelRequest): boolean => {
  const flat = ({ messages }: ModelRequest) =>
    messages.flatMap(({ role, content }) => content.map((block) => [role, block]));
  const [a, b] = [flat(earlier), flat(later)];
  return JSON.stringify(b.slice(0, a.length)) === JSON.stringify(a);
};

describe('whatever happens', () => {
  it('every request is one that the API accepts, and only ever appends', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (sketch) => {
        const { requests, result, facts } = await play(worldOf(sketch));
        expect(result.state).toBe('stopped');
        for (const request of requests) {
          // Before 4.6 a paused turn without a server tool may be last.
          expect(
            validateRequest({ ...request, stream: true }, { version: '2026-10-21', models: 'any' }),
          ).toSatisfy(
            (refusal: { readonly message: string } | null) =>
              refusal === null || /prefill/.test(refusal.message),
          );
          expect(request.system).toBe(requests[0]?.system);
          expect(request.tools).toEqual(requests[0]?.tools);
        }
        // A summary's instruction that was never answered is not in the history: only answered requests are built upon.
        const answered = requests.filter((_, index) => {
          const fact = facts.filter(({ type }) => type.startsWith('model.'))[index];
          return (
            fact !== undefined && ['model.answered', 'model.called_tools', 'model.paused'].includes(fact.type)
          );
        });
        for (const [index, request] of answered.entries()) {
          const next = answered[index + 1];
          if (next) expect(isPrefix(request, next)).toBe(true);
        }
        const turns = facts.filter((fact) => 'message' in fact && fact.type !== 'model.paused').length;
        expect(turns).toBeGreaterThanOrEqual(0);
      }),
      runs(300),
    );
  });
});
