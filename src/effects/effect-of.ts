import type { Effect } from '../../machines/index.ts';

/** Of a snapshot: the meta data of its states, by id. */
interface Resting {
  readonly value: unknown;
  getMeta(): Readonly<Record<string, { readonly effect: Effect } | undefined>>;
}

/**
 * The effect that the state names.
 * @throws {Error} when it names none: only final and transient states do not, and the loop rests in neither
 */
export function effectOf(snapshot: Resting): Effect {
  const [meta] = Object.values(snapshot.getMeta()).filter((entry) => entry !== undefined);
  if (meta === undefined) throw new Error(`No effect for ${JSON.stringify(snapshot.value)}. This is a bug.`);
  return meta.effect;
}
