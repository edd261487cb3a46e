/** How far the runs of a property have gone. That they are long is measured: else a change could end it unseen. */
import { expect } from 'vitest';
import type { LoopEvent } from '../../machines/index.ts';
import type { JournalLine } from '../../src/ports.ts';
import { isReplay } from './runs.ts';

interface Goal {
  /** One run in ten at least has more turns than these. */
  readonly long: number;
  /** Some run has as many turns. */
  readonly most: number;
  /** Some response has as many calls. */
  readonly calls: number;
}

interface Reach {
  readonly note: (turns: number, calls: number) => void;
  readonly expectFar: () => void;
}

/** Of so few runs nothing can be said. */
const FEW = 50;

export function newReach({ long, most, calls }: Goal = { long: 20, most: 60, calls: 10 }): Reach {
  let count = 0;
  let longs = 0;
  let mostTurns = 0;
  let mostCalls = 0;
  return {
    note: (turns, callsAtOnce) => {
      count += 1;
      if (turns > long) longs += 1;
      mostTurns = Math.max(mostTurns, turns);
      mostCalls = Math.max(mostCalls, callsAtOnce);
    },
    expectFar: () => {
      if (isReplay || count < FEW) return;
      expect(longs / count).toBeGreaterThan(0.1);
      expect(mostTurns).toBeGreaterThanOrEqual(most);
      expect(mostCalls).toBeGreaterThanOrEqual(calls);
    },
  };
}

type Line = JournalLine | LoopEvent;

/** Turns with a response that counts, and the most calls in one of them. */
export function sizeOf(lines: readonly Line[]): readonly [turns: number, calls: number] {
  const batches = lines.flatMap((line) =>
    'calls' in line && !isAskedAgain(line) ? [line.calls.length] : [],
  );
  return [batches.length, Math.max(0, ...batches)];
}

const isAskedAgain = (line: Line): boolean => 'canGrow' in line && line.canGrow;
