/** How often properties are tried: a fixed sample in `npm test`, many in `npm run properties`, one to replay a failure. */
import type { CommandsContraints, Parameters } from 'fast-check';

const text = (name: string): string | undefined => {
  const value = process.env[name];
  return value === '' ? undefined : value;
};

const number = (name: string): number | undefined => {
  const value = text(name);
  return value === undefined ? undefined : Number(value);
};

const path = text('PROPERTY_PATH');
const replay = text('PROPERTY_REPLAY');

/** One failing case is tried again: it says nothing of how far the whole sample goes. */
export const isReplay = path !== undefined;

/** @param sample runs in `npm test` */
export function runs<T>(sample: number): Parameters<T> {
  const many = number('PROPERTY_RUNS');
  const seed = number('PROPERTY_SEED');
  return {
    numRuns: many ?? sample,
    // Without a seed `npm test` tries the same ones each time.
    ...(many === undefined || seed !== undefined ? { seed: seed ?? 1 } : {}),
    ...(path !== undefined && { path }),
    // The commands of a replay are those that were left when it was shrunk: there is nothing more to shrink.
    endOnFailure: many !== undefined || replay !== undefined,
  };
}

/** For `fc.commands`: how many there are, and which of them ran in the failure that is replayed. */
export const upTo = (maxCommands: number): CommandsContraints => ({
  maxCommands,
  size: 'max',
  ...(replay !== undefined && { replayPath: replay }),
});
