/** A run that is cut off anywhere, and goes on under other rules: it ends, and all invariants hold. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { verifyJournal } from '../../src/verify/index.ts';
import { again } from '../resume/again.ts';
import { play, replies, text } from '../support/world.ts';
import { newReach, sizeOf } from './reach.ts';
import { isReplay, runs } from './runs.ts';
import { randomWorld, worldOf } from './worlds.ts';

const rules = fc.record({
  asks: fc.subarray(['read', 'write']),
  denies: fc.subarray(['read', 'write']),
});
const going = fc.record({
  box: rules,
  isTrusted: fc.boolean(),
  message: fc.option(fc.constant('And now?')),
  turns: fc.oneof(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 40, max: 80 })),
});

/** Behind so many lines, or behind a share of them. */
const cut = fc.oneof(fc.nat(60), fc.double({ min: 0, max: 0.999, noNaN: true }));

/** The server of the second world would not know what a pause of the first one waits for. */
const unpaused = randomWorld.map((random) => {
  const rest = random.replies.filter(
    (reply) => reply.kind !== 'message' || reply.message.stopReason !== 'pause_turn',
  );
  return { ...random, replies: rest.length === 0 ? [replies([text('Done.')])] : rest };
});

describe('a run of any world, cut off anywhere', () => {
  it('goes on under any rules, or says why it cannot', { timeout: 3_600_000 }, async () => {
    let gone = 0;
    const reach = newReach();
    await fc.assert(
      fc.asyncProperty(unpaused, cut, going, async (random, at, { box, turns, ...changes }) => {
        const { lines } = await play(worldOf(random));
        const kept = lines.slice(0, 1 + (at < 1 ? Math.floor(at * lines.length) : at));
        const limits = { ...random.limits, maxTurns: turns };
        const world = worldOf({ ...random, replies: random.replies.toReversed() }, 'again_');
        try {
          const ended = await again(
            kept,
            { ...world, box: { ...world.box, ...box } },
            { ...changes, limits },
          );
          expect(verifyJournal(JSON.parse(JSON.stringify(ended.lines)) as unknown[])).toEqual([]);
          reach.note(...sizeOf(ended.lines));
          gone += 1;
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
        }
      }),
      runs(100),
    );
    reach.expectFar();
    if (!isReplay) expect(gone).toBeGreaterThan(10);
  });
});
