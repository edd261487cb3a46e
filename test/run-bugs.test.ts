/** What no port can bring about: effects that are wrong. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { effectOf } from '../src/effects/effect-of.ts';
import type { PerformEffect } from '../src/effects/effect.ts';
import { effects } from '../src/effects/index.ts';
import { play } from './support/world.ts';

const ends: PerformEffect = async function* () {
  yield* [];
  return undefined;
};
const saysNonsense: PerformEffect = async function* () {
  yield { type: 'retry.due' };
  return undefined;
};

afterEach(() => void vi.restoreAllMocks());

describe('a bug is said to be one', () => {
  it.each([
    { what: 'an effect that ends and leads nowhere', effect: ends, says: /callModel ended.*bug/ },
    {
      what: 'a fact that the machine cannot take',
      effect: saysNonsense,
      says: /cannot take retry\.due.*bug/,
    },
  ])('$what', async ({ effect, says }) => {
    vi.spyOn(effects, 'callModel').mockImplementation(effect);
    await expect(play({ turns: [] })).rejects.toThrow(says);
  });

  it('a state that names no effect', () => {
    expect(() => effectOf({ value: 'stoppedEndTurn', getMeta: () => ({}) })).toThrow(/No effect.*bug/);
  });
});
