/** Random worlds for the loop: longer than what is enumerated, and as odd as the API and its users can be. */
import * as fc from 'fast-check';
import type { Limits } from '../../machines/index.ts';
import { Inbox } from '../../src/inbox.ts';
import type { Approver, ContentBlock, JournalHeader, ModelReply, ToolOutcome } from '../../src/ports.ts';
import type { World } from '../support/world.ts';
import { FRESH, hostile, ODD } from './blocks.ts';
import { oddDecision, oddReply, outcome, steadyDecision, steadyReply, type Said } from './replies.ts';

/** What comes from outside behind the n-th line of the journal. */
interface FromOutside {
  readonly after: number;
  readonly item: string | { readonly cause: 'user' | 'signal' | 'deadline' };
}

export interface RandomWorld {
  readonly limits: Limits;
  readonly onLimit: JournalHeader['onLimit'];
  readonly replies: readonly ModelReply[];
  readonly outcomes: readonly (ToolOutcome | 'throws')[];
  readonly decisions: readonly Said[];
  readonly raises: readonly number[];
  readonly outside: readonly FromOutside[];
}

const limitsOf = (
  maxTurns: fc.Arbitrary<number>,
  tokens: fc.Arbitrary<number | null>,
  least: number,
): fc.Arbitrary<Limits> =>
  fc.record({
    maxTurns,
    budget: fc.record({ nanoUsd: fc.constant(null), tokens }),
    maxRetries: fc.integer({ min: least, max: 3 }),
    maxGrowths: fc.integer({ min: least, max: 2 }),
    maxContinuations: fc.integer({ min: least, max: 3 }),
    stuckAfter: fc.integer({ min: 1 + least, max: 4 }),
  });

const words = hostile.filter((text) => text.trim() !== '').map((text) => text.toWellFormed());
const causes = fc.constantFrom('user' as const, 'signal' as const, 'deadline' as const);
const outside = (lines: number, wordsToOneAbort: number): fc.Arbitrary<FromOutside> =>
  fc.record({
    after: fc.nat(lines),
    item: fc.oneof(
      { weight: wordsToOneAbort, arbitrary: words },
      causes.map((cause) => ({ cause })),
    ),
  });

const raise = fc.oneof(fc.integer({ min: -1, max: 3 }), fc.constant(Number.NaN));
const common = {
  onLimit: fc.constantFrom<JournalHeader['onLimit']>('summarise', 'stop', 'ask'),
  raises: fc.array(raise, { minLength: 1, maxLength: 3 }),
};

/** Most of these end within three turns: everything in them goes wrong often. */
const shortWorld: fc.Arbitrary<RandomWorld> = fc.record({
  ...common,
  limits: limitsOf(
    fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 60 })),
    fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 400_000 })),
    0,
  ),
  replies: fc.array(oddReply, { minLength: 1, maxLength: 20, size: 'max' }),
  outcomes: fc.array(outcome(1), { minLength: 1, maxLength: 10 }),
  decisions: fc.array(oddDecision, { minLength: 1, maxLength: 5 }),
  outside: fc.array(outside(80, 4), { maxLength: 3 }),
});

/** Most of these go on to their turn limit: what ends a run is rare in them. */
const longWorld: fc.Arbitrary<RandomWorld> = fc.record({
  ...common,
  limits: limitsOf(
    fc.oneof(fc.integer({ min: 20, max: 60 }), fc.constant(60)),
    fc.oneof(
      { weight: 8, arbitrary: fc.constant(null) },
      { weight: 4, arbitrary: fc.integer({ min: 100_000_000, max: 1_000_000_000 }) },
      fc.integer({ min: 400_000, max: 4_000_000 }),
    ),
    1,
  ),
  replies: fc.array(steadyReply, { minLength: 20, maxLength: 60, size: 'max' }),
  outcomes: fc.array(outcome(12), { minLength: 5, maxLength: 20, size: 'max' }),
  decisions: fc.array(steadyDecision, { minLength: 5, maxLength: 40, size: 'max' }),
  outside: fc.array(outside(1_200, 20), { maxLength: 8, size: 'max' }),
});

export const randomWorld: fc.Arbitrary<RandomWorld> = fc.oneof(
  { weight: 3, arbitrary: shortWorld },
  { weight: 2, arbitrary: longWorld },
);

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

const withContent = (
  reply: ModelReply,
  change: (content: readonly ContentBlock[]) => readonly ContentBlock[],
) =>
  reply.kind === 'message'
    ? { ...reply, message: { ...reply.message, content: change(reply.message.content) } }
    : reply;

/** Fills in ids that are new in the run. One that is odd stays as it is the first time. */
function numbered(next: () => ModelReply, process: string): () => ModelReply {
  const used = new Set<unknown>(process === '' ? [] : ODD);
  let count = 0;
  const idOf = (id: unknown, place: string): unknown => {
    if (id === FRESH) return `toolu_${place}`;
    if (!ODD.has(id)) return id;
    const isNew = !used.has(id);
    used.add(id);
    return isNew ? id : `${String(id)}_${place}`;
  };
  return () => {
    count += 1;
    return withContent(next(), (blocks) =>
      blocks.map((block, index) => {
        const place = `${process}${count}_${index}`;
        if (block.type === 'tool_use') return { ...block, id: idOf(block['id'], place) };
        if (block.type === 'server_tool_use') return { ...block, id: `srvtoolu_${place}` };
        if (block.type !== 'web_search_tool_result') return block;
        return { ...block, tool_use_id: `srvtoolu_${process}${count}_${index - 1}` };
      }),
    );
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
    return withContent(given, () => blocksNow);
  };
}

function orBreak<T>(said: T | 'throws'): T {
  if (said === 'throws') throw new Error('It broke.');
  return said;
}

/** @param process told apart from others of the same run: its calls have other ids */
export function worldOf(random: RandomWorld, process = ''): World {
  const inbox = new Inbox();
  const nextReply = goingOn(numbered(cycle(random.replies), process));
  const nextOutcome = cycle(random.outcomes);
  const nextDecision = cycle(random.decisions);
  const nextRaise = cycle(random.raises);
  // In the end people give up, or the run would go on for as long as it is allowed more turns.
  let raises = 0;
  const approver: Approver = {
    decide: async () => orBreak(nextDecision()),
    raiseLimit: async () => ((raises += 1) > 3 ? 0 : nextRaise()),
  };
  let lines = 0;
  return {
    inbox,
    turns: Array.from({ length: 2_000 }, () => nextReply),
    limits: random.limits,
    header: { onLimit: random.onLimit },
    approver,
    box: { asks: ['write'], run: async () => orBreak(nextOutcome()) },
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
