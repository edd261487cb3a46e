/** Usage as a stream reports it: `message_start` first, then each `message_delta` says more. */
import { z } from 'zod';
import type { Usage } from '../ports.ts';
import { isObject, type JsonObject } from './json.ts';

/** What the stream has said so far, and what it says now: counts are cumulative, null and absent mean "unchanged". */
export function mergeUsage(usage: JsonObject | null, said: unknown): JsonObject | null {
  if (!isObject(said)) return usage;
  const news = Object.entries(said).filter(([key, value]) => value !== null || usage?.[key] === undefined);
  return { ...usage, ...Object.fromEntries(news) };
}

/** Usage without its two main counts, or with counts that are none, is no usage: missing is not zero. */
export const usageOf = (said: JsonObject | null): Usage | null => (isUsage(said) ? said : null);

const count = z.number().int().nonnegative();

const usageShape = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count.nullish(),
  cache_read_input_tokens: count.nullish(),
  cache_creation: z
    .looseObject({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count })
    .nullish(),
});

const isUsage = (said: JsonObject | null): said is Usage & JsonObject => usageShape.safeParse(said).success;
