import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyJournal } from '../../src/verify/index.ts';
import { runs } from '../properties/runs.ts';
import { randomWorld, worldOf } from '../properties/worlds.ts';
import { play } from '../support/world.ts';
import { DAMAGES } from './damages.ts';
import { clean } from './recorded.ts';

describe('verifyJournal', () => {
  it('finds nothing in what a run has recorded', () => {
    expect(verifyJournal(clean())).toEqual([]);
  });

  it.each(DAMAGES)(`names %s (one of ${DAMAGES.length} damages)`, (_, damage, sentence) => {
    const violations = verifyJournal(damage(clean()));
    expect(violations.map(({ message }) => message)).toContainEqual(expect.stringMatching(sentence));
    expect(violations.every(({ line }) => line >= 1)).toBe(true);
  });

  it('finds nothing in any run of any world', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(randomWorld, async (random) => {
        const { lines } = await play(worldOf(random));
        expect(verifyJournal(JSON.parse(JSON.stringify(lines)) as unknown[])).toEqual([]);
      }),
      runs(200),
    );
  });

  it('never throws, whatever the lines are', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.record({
              type: fc.constantFrom('run.started', 'tool.finished', 'model.answered', 'run.ended'),
            }),
          ),
        ),
        (lines) => {
          expect(verifyJournal(lines).length).toBeGreaterThan(0);
        },
      ),
      runs(300),
    );
    expect(verifyJournal([])).toEqual([expect.objectContaining({ invariant: 6 })]);
  });
});
