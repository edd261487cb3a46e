/** Models that the server knows. A dated id belongs to the entry that it begins with. */
const KNOWN = [
  'claude-3-haiku',
  'claude-3-opus',
  'claude-3-sonnet',
  'claude-3-5-haiku',
  'claude-3-5-sonnet',
  'claude-3-7-sonnet',
  'claude-sonnet-4',
  'claude-opus-4',
  'claude-opus-4-1',
  'claude-sonnet-4-5',
  'claude-haiku-4-5',
  'claude-opus-4-5',
  'claude-opus-4-6',
  'claude-sonnet-4-6',
  'claude-opus-4-7',
  'claude-opus-4-8',
  'claude-sonnet-5',
  'claude-opus-5',
  'claude-fable-5',
  'claude-mythos-5',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-fable-5-1',
  'claude-mythos-5-1',
  'claude-fable-5-2',
  'claude-mythos-5-2',
];

const SUFFIX = /^(-\d{8}|-latest)?$/;

export const isKnownModel = (id: string, more: readonly string[] | 'any' = []): boolean =>
  more === 'any' ||
  more.includes(id) ||
  KNOWN.some((model) => id.startsWith(model) && SUFFIX.test(id.slice(model.length)));

/** Major and minor version of a model id; an unknown one counts as the newest. */
export function generationOf(id: string): number {
  const match = /^claude-[a-z]+-(\d+)(?:-(\d)(?!\d))?/.exec(id) ?? /^claude-(\d)(?:-(\d))?-[a-z]/.exec(id);
  return match === null ? Infinity : Number(match[1]) + Number(match[2] ?? 0) / 10;
}

/** The most output tokens of a known model, from the public model pages; null: not known. */
export function maxOutputOf(id: string): number | null {
  if (!isKnownModel(id)) return null;
  const generation = generationOf(id);
  if (generation < 4.5) return null;
  return generation >= 4.6 && !id.startsWith('claude-sonnet-4-6') ? 128_000 : 64_000;
}

/** The context window of a known model in tokens, from the public model pages; null: not known. */
export function contextWindowOf(id: string): number | null {
  if (!isKnownModel(id)) return null;
  return generationOf(id) >= 4.6 ? 1_000_000 : 200_000;
}
