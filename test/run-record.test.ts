import { describe, expect, it } from 'vitest';
import { recordingOf } from '../src/resume.ts';
import { recordDecisions } from '../src/run.ts';
import { RunState } from '../src/run-state.ts';
import { fakeClock } from './support/clocks.ts';
import { play, replies, text } from './support/world.ts';

const [header] = (await play({ turns: [replies([text('Done.')])] })).lines;

describe('a fact', () => {
  const began = (): RunState => {
    if (header?.type !== 'run.started') throw new Error('A journal begins with its header.');
    return new RunState(header);
  };

  it('is recorded before it is applied', async () => {
    const state = began();
    const applied: number[] = [];
    const journal = {
      append: async () => {
        applied.push(state.facts.length);
      },
    };
    await recordDecisions(state, recordingOf(state), [], { journal, clock: fakeClock() });
    // The resumption, and the end.
    expect(applied).toEqual([0, 1]);
  });

  it('that cannot be recorded is not applied', async () => {
    const state = began();
    const before = state.snapshot;
    const journal = { append: () => Promise.reject(new Error('The disk is full.')) };
    const recorded = recordDecisions(state, recordingOf(state), [], { journal, clock: fakeClock() });
    await expect(recorded).rejects.toThrow('The disk is full.');
    expect(state.facts).toEqual([]);
    expect(state.snapshot).toBe(before);
  });
});
