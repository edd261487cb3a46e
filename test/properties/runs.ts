/** How often properties are tried: a fixed sample in `npm test`, many in `npm run properties`, one to replay a failure. */
import type { Parameters } from 'fast-check';

const number = (name: string): number | undefined => {
  const text = process.env[name];
  return text === undefined || text === '' ? undefined : Number(text);
};

/** @param sample runs in `npm test` */
export function runs<T>(sample: number): Parameters<T> {
  const many = number('PROPERTY_RUNS');
  const seed = number('PROPERTY_SEED');
  const path = process.env['PROPERTY_PATH'];
  return {
    numRuns: many ?? sample,
    // Without a seed `npm test` tries the same ones each time.
    ...(many === undefined || seed !== undefined ? { seed: seed ?? 1 } : {}),
    ...(path !== undefined && { path }),
    endOnFailure: many !== undefined,
  };
}
