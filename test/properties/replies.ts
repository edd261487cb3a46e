/** Random replies of a model, and of what tools and people say to its calls. */
import * as fc from 'fast-check';
import type { Decision, ModelReply, ToolOutcome, Usage } from '../../src/ports.ts';
import { failure, replies } from '../support/world.ts';
import { calling, content, hostile, searching } from './blocks.ts';

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
const paused = fc.tuple(searching, usage).map(([blocks, used]) => replies(blocks, 'pause_turn', used));

const failed = (isRetryable: fc.Arbitrary<boolean>): fc.Arbitrary<ModelReply> =>
  fc
    .record({ isRetryable, retryAfterMs: fc.nat(60_000), usage })
    .map(({ usage: used, ...rest }) =>
      failure({ ...rest, usage: used, billing: used === null ? 'none' : 'partial' }),
    );

/** A model that breaks its word, or gives up by itself. */
const broken = fc.constantFrom<ModelReply>(
  replies([], 'end_turn', { input_tokens: -1, output_tokens: 0.5 }),
  { kind: 'aborted', usage: null, billing: 'unknown' },
  { kind: 'aborted', usage: { input_tokens: 9, output_tokens: 1 }, billing: 'partial' },
);

const FREQUENT = { faults: 15, repeats: 100 };
const RARE = { faults: 1, repeats: 1 };

/** Half of them end a run. */
export const oddReply: fc.Arbitrary<ModelReply> = fc.oneof(
  paused,
  {
    weight: 5,
    arbitrary: fc.tuple(content(FREQUENT), usage).map(([blocks, used]) => replies(blocks, undefined, used)),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(content(FREQUENT), fc.constantFrom(...STOP_REASONS, 'a_new_one', null), usage)
      .map(([blocks, reason, used]) => replies(blocks, reason, used)),
  },
  failed(fc.boolean()),
  fc.constant(failure({ isRetryable: false, reason: 'context_window' })),
  fc.constant(failure({ billing: 'unknown' })),
  broken,
);

/** One in some hundred ends a run. */
export const steadyReply: fc.Arbitrary<ModelReply> = fc.oneof(
  {
    weight: 300,
    arbitrary: fc.tuple(calling(RARE), usage).map(([blocks, used]) => replies(blocks, undefined, used)),
  },
  { weight: 12, arbitrary: paused },
  { weight: 12, arbitrary: failed(fc.constant(true)) },
  {
    weight: 6,
    arbitrary: fc.tuple(content(RARE), usage).map(([blocks, used]) => replies(blocks, 'max_tokens', used)),
  },
  { weight: 3, arbitrary: oddReply },
);

/** How a call ends; `throws`: its tool breaks. */
export const outcome = (successes: number): fc.Arbitrary<ToolOutcome | 'throws'> =>
  fc.oneof(
    fc.constant('throws' as const),
    {
      weight: successes,
      arbitrary: fc.record({ kind: fc.constant('succeeded' as const), content: hostile }),
    },
    fc.record({ kind: fc.constant('failed' as const), content: hostile }),
    fc.record({ kind: fc.constant('timed_out' as const), content: hostile, afterMs: fc.nat() }),
  );

/** What a person says, or a program that breaks. */
export type Said = Decision | 'throws';

const approve: fc.Arbitrary<Said> = fc.constant({ decision: 'approve', by: 'person' });
const edit: fc.Arbitrary<Said> = fc.record({
  decision: fc.constant('approve' as const),
  by: fc.constant('person'),
  edited: fc.jsonValue({ maxDepth: 1 }),
});
const deny = fc.option(hostile).map((reason): Said => ({ decision: 'deny', by: 'person', reason }));
const leave: fc.Arbitrary<Said> = fc.constantFrom<Said>(
  { decision: 'quit', by: 'person' },
  { decision: 'wait' },
  'throws',
);

export const oddDecision = fc.oneof({ weight: 4, arbitrary: approve }, edit, deny, {
  weight: 3,
  arbitrary: leave,
});

export const steadyDecision = fc.oneof(
  { weight: 300, arbitrary: approve },
  { weight: 20, arbitrary: edit },
  { weight: 20, arbitrary: deny },
  { weight: 1, arbitrary: leave },
);
