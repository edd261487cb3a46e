/** Limits of the models that we know, from the public model pages of 2026-10. Ids that are not here get `cautious`. */
import type { Model } from '../ports.ts';

type ModelLimits = Model['limits'];

/** @param modelId as the API spells it, with or without a date at its end */
export function limitsOf(modelId: string): ModelLimits {
  const name = modelId.replace(/-\d{8}$/, '');
  return (Object.hasOwn(known, name) ? known[name] : undefined) ?? cautious;
}

const large: ModelLimits = { maxTokens: 128_000, contextWindow: 1_000_000 };
const cautious: ModelLimits = { maxTokens: 64_000, contextWindow: 200_000 };

const known: Readonly<Record<string, ModelLimits>> = {
  'claude-fable-5-1': large,
  'claude-mythos-5-1': large,
  'claude-fable-5': large,
  'claude-mythos-5': large,
  'claude-opus-5-5': large,
  'claude-opus-5': large,
  'claude-opus-4-8': large,
  'claude-opus-4-7': large,
  'claude-opus-4-6': large,
  'claude-opus-4-5': cautious,
  'claude-sonnet-5-5': large,
  'claude-sonnet-5': large,
  'claude-sonnet-4-6': { maxTokens: 64_000, contextWindow: 1_000_000 },
  'claude-sonnet-4-5': cautious,
  'claude-haiku-5-5': large,
  'claude-haiku-4-5': cautious,
};
