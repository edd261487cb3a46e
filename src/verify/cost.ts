/** What a response cost, worked out from its usage: own arithmetic, in whole picodollars. */
import { isFields, listOf } from './api/values.ts';
import type { Header } from './schemas.ts';

type Price = NonNullable<Header['price']>;
type Usage = Readonly<Record<string, unknown>>;

export interface Cost {
  readonly tokens: number;
  /** Null: a part of it was answered by another model, whose price the journal does not hold. */
  readonly nanoUsd: number | null;
}

export function costOf(usage: Usage, price: Header['price']): Cost {
  const samplings = samplingsOf(usage);
  const said = samplings.reduce((sum, sampling) => sum + promptOf(sampling) + sampling.output, 0);
  const tokens = Math.min(said, MOST_TOKENS);
  if (price === null) return { tokens, nanoUsd: 0 };
  if (samplings.some(({ isOther }) => isOther)) return { tokens, nanoUsd: null };
  const picoUsd = samplings.reduce((sum, sampling) => sum + picoOf(sampling, price), 0n);
  // A batch costs half, inference kept in the US 1.1 times as much.
  const [times, of] = [
    usage['inference_geo'] === 'us' ? 11n : 10n,
    usage['service_tier'] === 'batch' ? 2n : 1n,
  ];
  const divisor = 10n * of * 1_000n;
  const nanoUsd = Number((picoUsd * times + divisor - 1n) / divisor);
  return { tokens, nanoUsd: Math.min(nanoUsd + searchesIn(usage) * SEARCH_NANO_USD, MOST_NANO_USD) };
}

/** Sums over responses, as the outcome has them. */
export function totalOf(usages: readonly Usage[]) {
  const samplings = usages.flatMap(samplingsOf);
  const sum = (field: 'input' | 'output' | 'read' | 'write'): number =>
    samplings.reduce((total, sampling) => total + sampling[field], 0);
  return {
    inputTokens: sum('input'),
    outputTokens: sum('output'),
    cacheReadTokens: sum('read'),
    cacheWriteTokens: sum('write'),
  };
}

/** No response is billed above these: sums stay safe integers. */
const MOST_TOKENS = 1e10;
const MOST_NANO_USD = 1e13;

/** One cent. */
const SEARCH_NANO_USD = 10_000_000;

interface Sampling {
  readonly isOther: boolean;
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly write: number;
  /** Of those written, kept for an hour. */
  readonly hour: number;
}

/** Where the server sampled several times, each time is listed; the totals leave some of them out. */
function samplingsOf(usage: Usage): readonly Sampling[] {
  const samplings = listOf(usage['iterations']).filter(isFields).map(samplingOf);
  const total = samplingOf(usage);
  const sum = samplings.reduce((tokens, one) => tokens + promptOf(one) + one.output, 0);
  // A list that says less than the totals leaves something out.
  return sum >= promptOf(total) + total.output ? samplings : [total];
}

function samplingOf(one: Usage): Sampling {
  const created = isFields(one['cache_creation']) ? one['cache_creation'] : {};
  const hour = count(created['ephemeral_1h_input_tokens']);
  const minutes = count(created['ephemeral_5m_input_tokens']);
  return {
    isOther: one['type'] === 'advisor_message' || one['type'] === 'fallback_message',
    input: count(one['input_tokens']),
    output: count(one['output_tokens']),
    read: count(one['cache_read_input_tokens']),
    write: Math.max(count(one['cache_creation_input_tokens']), minutes + hour),
    hour,
  };
}

const promptOf = ({ input, read, write }: Sampling): number => input + read + write;

function picoOf(sampling: Sampling, price: Price): bigint {
  const { input, output, read, write, hour } = sampling;
  const { above } = price;
  const card = above !== undefined && promptOf(sampling) > above.promptTokens ? above.price : price;
  return [
    [input, card.input],
    [output, card.output],
    [read, card.cacheRead],
    [write - hour, card.cacheWrite5m],
    [hour, card.cacheWrite1h],
  ].reduce((sum, [tokens = 0, usd = 0]) => sum + BigInt(tokens) * BigInt(Math.round(usd * 1e6)), 0n);
}

const searchesIn = ({ server_tool_use: used }: Usage): number =>
  isFields(used) ? count(used['web_search_requests']) : 0;

/** Whatever is no count is 0, and no response holds more than a thousand million of anything. */
const count = (value: unknown): number =>
  Number.isInteger(value) ? Math.min(Math.max(Number(value), 0), 1e9) : 0;
