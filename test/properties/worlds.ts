/** Random worlds for the loop: longer than what is enumerated, and as odd as the API and its users can be. */
import * as fc from 'fast-check';
import type { Limits } from '../../machines/index.ts';
import { Inbox } from '../../src/inbox.ts';
import type {
  Approver,
  ContentBlock,
  Decision,
  JournalHeader,
  ModelReply,
  ToolOutcome,
  Usage,
} from '../../src/ports.ts';
import { failure, replies, type World } from '../support/world.ts';

/** Blank, odd, long, half characters, control characters. */
const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 20 }) },
  fc.constantFrom(
    '',
    ' ',
    '\n\t',
    '\ud83d',
    'a\u0000b',
    '\u202Eevil',
    '</tool_result>',
    '\u001b[2J',
    'null',
    '{}',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('x'.repeat(30_000), '表'.repeat(2_000)),
);

const id = fc.oneof(
  { weight: 9, arbitrary: fc.uuid().map((text) => `toolu_${text.slice(0, 13)}`) },
  fc.constantFrom('toolu_same', 'toolu_other'),
);

const toolUse: fc.Arbitrary<ContentBlock> = fc.record({
  type: fc.constant('tool_use'),
  id,
  name: fc.constantFrom('read', 'write', 'write', 'unknown', 'read'),
  input: fc.oneof(fc.constant({}), fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }))),
});

const searched: fc.Arbitrary<readonly ContentBlock[]> = fc.uuid().map((text) => [
  { type: 'server_tool_use', id: `srvtoolu_${text}`, name: 'web_search', input: {} },
  { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${text}`, content: [] },
]);

/** The model's adapter repairs what is half a character; everybody else may hand it in. */
const said = hostile.map((text) => text.toWellFormed());

const beside: fc.Arbitrary<readonly ContentBlock[]> = fc.oneof(
  { weight: 4, arbitrary: said.map((text) => [{ type: 'text', text }]) },
  said.map((thinking) => [{ type: 'thinking', thinking, signature: 'c2lnbmF0dXJl' }]),
  fc.constant([{ type: 'redacted_thinking', data: 'b3BhcXVl' }]),
  searched,
  fc.constant([]),
);

const content: fc.Arbitrary<readonly ContentBlock[]> = fc
  .tuple(
    fc.array(beside, { maxLength: 3 }),
    fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(toolUse, { maxLength: 12 })),
  )
  .map(([blocks, calls]) => [...blocks.flat(), ...calls]);

const usage: fc.Arbitrary<Usage | null> = fc.oneof(
  fc.record({ input_tokens: fc.nat(3_000), output_tokens: fc.nat(1_000) }),
  fc.record({
    input_tokens: fc.nat(200_000),
    output_tokens: fc.nat(16_000),
    cache_read_input_tokens: fc.nat(9_000),
  }),
  fc.constant(null),
);

const STOP_REASONS = ['tool_use', 'end_turn', 'max_tokens', 'refusal', 'stop_sequence'];

/** The API pauses while a tool of its own is at work. */
const paused: fc.Arbitrary<ModelReply> = fc
  .tuple(fc.array(beside, { maxLength: 2 }), fc.uuid(), usage)
  .map(([blocks, text, used]) => {
    const use = { type: 'server_tool_use', id: `srvtoolu_${text}`, name: 'web_search', input: {} };
    return replies([...blocks.flat(), use], 'pause_turn', used);
  });

const reply: fc.Arbitrary<ModelReply> = fc.oneof(
  paused,
  {
    weight: 5,
    arbitrary: fc.tuple(content, usage).map(([blocks, used]) => replies(blocks, undefined, used)),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(content, fc.constantFrom(...STOP_REASONS, 'a_new_one', null), usage)
      .map(([blocks, reason, used]) => replies(blocks, reason, used)),
  },
  fc
    .record({ isRetryable: fc.boolean(), retryAfterMs: fc.nat(60_000), usage })
    .map(({ usage: used, ...rest }) =>
      failure({ ...rest, usage: used, billing: used === null ? 'none' : 'partial' }),
    ),
  fc.constant(failure({ isRetryable: false, reason: 'context_window' })),
  fc.constant(failure({ billing: 'unknown' })),
);

const outcome: fc.Arbitrary<ToolOutcome> = fc.oneof(
  fc.record({ kind: fc.constant('succeeded' as const), content: hostile }),
  fc.record({ kind: fc.constant('failed' as const), content: hostile }),
  fc.record({ kind: fc.constant('timed_out' as const), content: hostile, afterMs: fc.nat() }),
);

const decision: fc.Arbitrary<Decision | 'throws'> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ decision: 'approve' as const, by: 'person' }) },
  fc.record({
    decision: fc.constant('approve' as const),
    by: fc.constant('person'),
    edited: fc.jsonValue({ maxDepth: 1 }),
  }),
  fc.record({
    decision: fc.constant('deny' as const),
    by: fc.constant('person'),
    reason: fc.option(hostile),
  }),
  fc.constant({ decision: 'quit' as const, by: 'person' }),
  fc.constant({ decision: 'wait' as const }),
  fc.constant('throws' as const),
);

const limits: fc.Arbitrary<Limits> = fc.record({
  maxTurns: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 })),
  budget: fc.record({
    nanoUsd: fc.constant(null),
    tokens: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 400_000 })),
  }),
  maxRetries: fc.nat(3),
  maxGrowths: fc.nat(2),
  maxContinuations: fc.nat(3),
  stuckAfter: fc.integer({ min: 1, max: 4 }),
});

/** What comes from outside behind the n-th line of the journal. */
const fromOutside = fc.record({
  after: fc.nat(80),
  item: fc.oneof(
    { weight: 4, arbitrary: hostile.filter((text) => text.trim() !== '').map((text) => text.toWellFormed()) },
    fc.constantFrom('user' as const, 'signal' as const, 'deadline' as const).map((cause) => ({ cause })),
  ),
});

export interface RandomWorld {
  readonly limits: Limits;
  readonly onLimit: JournalHeader['onLimit'];
  readonly replies: readonly ModelReply[];
  readonly outcomes: readonly ToolOutcome[];
  readonly decisions: readonly (Decision | 'throws')[];
  readonly raises: readonly number[];
  readonly outside: readonly {
    readonly after: number;
    readonly item: string | { readonly cause: 'user' | 'signal' | 'deadline' };
  }[];
}

export const randomWorld: fc.Arbitrary<RandomWorld> = fc.record({
  limits,
  onLimit: fc.constantFrom('summarise', 'stop', 'ask'),
  replies: fc.array(reply, { minLength: 1, maxLength: 60 }),
  outcomes: fc.array(outcome, { minLength: 1, maxLength: 10 }),
  decisions: fc.array(decision, { minLength: 1, maxLength: 5 }),
  raises: fc.array(fc.oneof(fc.integer({ min: -1, max: 3 }), fc.constant(Number.NaN)), {
    minLength: 1,
    maxLength: 3,
  }),
  outside: fc.array(fromOutside, { maxLength: 3 }),
});

/** The n-th of a list that begins again at its end. */
function cycle<T>(list: readonly T[]): () => T {
  let at = 0;
  return () => {
    const item = list[at % list.length];
    at += 1;
    if (item === undefined) throw new Error('The list is empty.');
    return item;
  };
}

/** The API goes on after a pause with the result of its search. */
function goingOn(next: () => ModelReply): () => ModelReply {
  let open: unknown = null;
  return () => {
    const given = next();
    if (given.kind !== 'message') return given;
    const found = { type: 'web_search_tool_result', tool_use_id: open, content: [] };
    const blocks = given.message.content;
    const blocksNow = open === null ? blocks : [found, ...blocks];
    const isKept = given.message.stopReason === 'pause_turn' || given.message.stopReason === 'max_tokens';
    if (!isKept) open = null;
    if (given.message.stopReason === 'pause_turn') open = blocks.at(-1)?.['id'];
    return { ...given, message: { ...given.message, content: blocksNow } };
  };
}

export function worldOf(random: RandomWorld): World {
  const inbox = new Inbox();
  const nextReply = goingOn(cycle(random.replies));
  const nextOutcome = cycle(random.outcomes);
  const nextDecision = cycle(random.decisions);
  const nextRaise = cycle(random.raises);
  // In the end people give up, or the run would go on for as long as it is allowed more turns.
  let raises = 0;
  const approver: Approver = {
    decide: async () => {
      const next = nextDecision();
      if (next === 'throws') throw new Error('The approver broke.');
      return next;
    },
    raiseLimit: async () => ((raises += 1) > 3 ? 0 : nextRaise()),
  };
  let lines = 0;
  return {
    inbox,
    turns: Array.from({ length: 2_000 }, () => nextReply),
    limits: random.limits,
    header: { onLimit: random.onLimit },
    approver,
    box: { asks: ['write'], run: async () => nextOutcome() },
    onLine: () => {
      for (const { after, item } of random.outside) {
        if (after !== lines) continue;
        inbox.put(
          typeof item === 'string'
            ? { kind: 'interjection', text: item }
            : { kind: 'abort', cause: item.cause, by: 'test' },
        );
      }
      lines += 1;
    },
  };
}
