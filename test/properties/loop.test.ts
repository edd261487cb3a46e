import * as fc from 'fast-check';
import { getMicrosteps, initialTransition, type SnapshotFrom } from 'xstate';
import { describe, expect, it } from 'vitest';
import { agentLoop } from '../../machines/index.ts';
import type { Fact, JournalLine } from '../../src/ports.ts';
import { breaches, stays } from '../../src/paths/contract.ts';
import { enter, openLedger } from '../../src/paths/ledger.ts';
import { LONG } from '../../src/paths/configurations.ts';
import { breachesOn } from '../../src/paths/prove.ts';
import { randomPath } from '../../src/paths/walk.ts';
import { randomFrom } from '../../src/testing/random.ts';
import { validateRequest } from '../../src/verify/api/index.ts';
import { play, type Played } from '../support/world.ts';
import { newReach, sizeOf } from './reach.ts';
import { runs } from './runs.ts';
import { randomWorld, worldOf } from './worlds.ts';

type Snapshot = SnapshotFrom<typeof agentLoop>;

async function inAnyWorld(check: (played: Played) => void): Promise<void> {
  const reach = newReach();
  await fc.assert(
    fc.asyncProperty(randomWorld, async (random) => {
      const played = await play(worldOf(random));
      reach.note(...sizeOf(played.lines));
      check(played);
    }),
    runs(100),
  );
  reach.expectFar();
}

describe('in any world', { timeout: 3_600_000 }, () => {
  it('the loop ends, and says how', () =>
    inAnyWorld(({ result, lines }) => {
      expect(['stopped', 'waiting']).toContain(result.state);
      expect(lines.filter(({ type }) => type === 'run.ended')).toHaveLength(1);
      expect(lines.at(-1)?.type).toBe('run.ended');
    }));

  it('every request is one that the API accepts', () =>
    inAnyWorld(({ requests }) => {
      for (const request of requests) {
        expect(
          validateRequest({ ...request, stream: true }, { version: '2026-10-21', models: 'any' }),
        ).toBeNull();
      }
    }));

  it('each step is where the contract says, and folding again gives the same', () =>
    inAnyWorld(({ lines, facts }) => {
      const once = fold(lines, facts);
      expect(once.broken).toEqual([]);
      expect(fold(lines, facts).snapshot).toEqual(once.snapshot);
      expect(numbersIn(once.snapshot.context).every(Number.isSafeInteger)).toBe(true);
    }));

  it('every string that is sent or given back is well-formed', () =>
    inAnyWorld(({ requests, result }) => {
      expect(JSON.stringify([requests, result])).not.toMatch(/\\ud[89a-f]/i);
    }));
});

describe('a random walk of up to 20 turns', () => {
  it('is where the contract says at each step', { timeout: 3_600_000 }, () => {
    const reach = newReach({ long: 10, most: 20, calls: 2 });
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const path = randomPath(LONG, randomFrom(seed), 300, 1 / 80);
        reach.note(...sizeOf(path.map(({ event }) => event)));
        expect(breachesOn(path, LONG)).toEqual([]);
      }),
      runs(200),
    );
    reach.expectFar();
  });
});

function fold(lines: readonly JournalLine[], facts: readonly Fact[]) {
  const [header] = lines;
  if (header?.type !== 'run.started') throw new Error('A journal begins with its header.');
  let [snapshot]: [Snapshot, ...unknown[]] = initialTransition(agentLoop, header);
  let ledger = openLedger(header);
  const broken = [...breaches(ledger, snapshot)];
  for (const fact of facts) {
    if (!snapshot.can(fact)) broken.push(`${fact.type} cannot be taken.`);
    const steps = getMicrosteps(agentLoop, snapshot, fact).map(([step]) => step);
    const next = steps.at(-1) ?? snapshot;
    const entered = enter(ledger, fact);
    const value = snapshot.value;
    if (steps.some((step) => !step.matches(value)) === stays(ledger, fact, entered)) {
      broken.push(`${fact.type} leaves or stays, and should not.`);
    }
    broken.push(...breaches(entered, next));
    ledger = entered;
    snapshot = next;
  }
  return { snapshot, broken };
}

const numbersIn = (value: unknown): readonly number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(numbersIn)
      : [];
