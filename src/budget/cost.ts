/**
 * What a response cost. Integers throughout: picodollars inside, nano-dollars outside, rounded up once per response.
 *
 * A usage object comes from a server, or from a journal that an older version wrote: whatever is no count is 0.
 */
import type { Amount } from '../../machines/index.ts';
import type { Price, TotalUsage, Usage } from '../ports.ts';
import { priceOf } from './prices.ts';

/**
 * Tokens and nano-dollars of one response. Tokens are everything billed: input, cache writes, cache reads and output.
 * Without a price the money is 0.
 */
export function costOf(usage: Usage, price: Price | null): Amount {
  const rounds = roundsOf(usage);
  const tokens = Math.min(sum(rounds.map(tokensOf)), MAX_TOKENS);
  if (price === null) return { nanoUsd: 0, tokens };
  const picoUsd = rounds.reduce((total, round) => total + roundCost(round, roundPrice(round, price)), 0n);
  const divisor = 20n * PICO_PER_NANO;
  const tokenCost = (picoUsd * twentieths(usage) + divisor - 1n) / divisor;
  const nanoUsd = Number(tokenCost) + webSearches(usage) * WEB_SEARCH_NANO_USD;
  return { nanoUsd: Math.min(nanoUsd, MAX_NANO_USD), tokens };
}

/**
 * Tokens of the prompt, cached ones included: how much of the context window it filled. Where the server sampled
 * several times within the response, the last time counts.
 */
export function promptTokens(usage: Usage): number {
  const last = roundsOf(usage).findLast(({ kind }) => kind !== 'compaction' && kind !== 'advisor_message');
  return last === undefined ? 0 : promptOf(last);
}

/** Sums over responses, as they were billed. */
export function totalUsage(usages: readonly Usage[]): TotalUsage {
  const rounds = usages.flatMap(roundsOf);
  return {
    inputTokens: sum(rounds.map(({ input }) => input)),
    outputTokens: sum(rounds.map(({ output }) => output)),
    cacheReadTokens: sum(rounds.map(({ cacheRead }) => cacheRead)),
    cacheWriteTokens: sum(rounds.map(cacheWriteOf)),
  };
}

/** For people: `$1.50`, `$0.0425`, `$0.000123`; `<$0.000001` for less than it can show. */
export function formatUsd(nanoUsd: number): string {
  const usd = nanoUsd / NANO_PER_USD;
  if (usd > 0 && usd < 0.000_001) return '<$0.000001';
  if (usd === 0 || usd >= 1) return `$${usd.toFixed(2)}`;
  return `$${usd.toFixed(usd >= 0.01 ? 4 : 6)}`;
}

const NANO_PER_USD = 1_000_000_000;
const PICO_PER_NANO = 1_000n;
/** 0.01 USD. */
const WEB_SEARCH_NANO_USD = 10_000_000;
/** No response holds more of anything, or costs more; every sum stays a safe integer, whatever a server says. */
const MAX_COUNT = 1_000_000_000;
const MAX_TOKENS = 10_000_000_000;
const MAX_NANO_USD = 10_000 * NANO_PER_USD;

/** One sampling of the model. */
interface Round {
  readonly kind: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

/** The totals leave out compactions and advisors; `iterations`, where the API lists them, has every sampling. */
function roundsOf(usage: Usage): readonly Round[] {
  const iterations = usage['iterations'];
  const listed = (Array.isArray(iterations) ? iterations.filter(isRecord) : []).map(roundFrom);
  const total = roundFrom(usage);
  // A list that says less than the totals is not the true bill.
  return sum(listed.map(tokensOf)) >= tokensOf(total) ? listed : [total];
}

function roundFrom(usage: Readonly<Record<string, unknown>>): Round {
  const breakdown = recordIn(usage, 'cache_creation');
  const written = count(usage['cache_creation_input_tokens']);
  const cacheWrite1h = count(breakdown['ephemeral_1h_input_tokens']);
  return {
    kind: String(usage['type']),
    model: String(usage['model']),
    input: count(usage['input_tokens']),
    output: count(usage['output_tokens']),
    cacheRead: count(usage['cache_read_input_tokens']),
    // The total and its breakdown are the same tokens. What the breakdown does not explain was written for 5 minutes.
    cacheWrite5m: Math.max(count(breakdown['ephemeral_5m_input_tokens']), written - cacheWrite1h),
    cacheWrite1h,
  };
}

/** An advisor and a fallback are other models than the one that was asked; they have their own price. */
function roundPrice(round: Round, asked: Price): Price {
  const isOther = round.kind === 'advisor_message' || round.kind === 'fallback_message';
  const price = (isOther ? priceOf(round.model) : null) ?? asked;
  return price.above !== undefined && promptOf(round) > price.above.promptTokens ? price.above.price : price;
}

const roundCost = (round: Round, price: Price): bigint =>
  BigInt(round.input) * picoPerToken(price.input) +
  BigInt(round.output) * picoPerToken(price.output) +
  BigInt(round.cacheRead) * picoPerToken(price.cacheRead) +
  BigInt(round.cacheWrite5m) * picoPerToken(price.cacheWrite5m) +
  BigInt(round.cacheWrite1h) * picoPerToken(price.cacheWrite1h);

/** 1 USD per million tokens is a millionth of a dollar, that is 1e6 picodollars, per token. */
const picoPerToken = (usdPerMillion: number): bigint => BigInt(Math.round(usdPerMillion * 1_000_000));

/** A batch costs half, inference kept in the US 1.1 times as much: a whole number of twentieths. */
const twentieths = (usage: Usage): bigint =>
  (usage['service_tier'] === 'batch' ? 1n : 2n) * (usage['inference_geo'] === 'us' ? 11n : 10n);

const webSearches = (usage: Usage): number =>
  count(recordIn(usage, 'server_tool_use')['web_search_requests']);

const cacheWriteOf = (round: Round): number => round.cacheWrite5m + round.cacheWrite1h;
const promptOf = (round: Round): number => round.input + round.cacheRead + cacheWriteOf(round);
const tokensOf = (round: Round): number => promptOf(round) + round.output;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const count = (value: unknown): number =>
  typeof value === 'number' && value > 0 && Number.isInteger(value) ? Math.min(value, MAX_COUNT) : 0;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function recordIn(from: Readonly<Record<string, unknown>>, field: string): Readonly<Record<string, unknown>> {
  const value = from[field];
  return isRecord(value) ? value : {};
}

/** USD of a limit that is enough for an amount: millionths, never rounded down. */
export const enoughUsd = (nanoUsd: number): string => (Math.ceil(nanoUsd / 1_000) / 1e6).toFixed(6);
