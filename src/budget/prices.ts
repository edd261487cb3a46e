/**
 * What models cost, as the vendor's price page said on a day. Prices change: `--price` beats this table.
 *
 * A model whose price is not known is not here: a guess would turn a budget into a decoration.
 */
import { UserError } from '../errors.ts';
import type { Price } from '../ports.ts';

export interface DatedPrice {
  readonly price: Price;
  /** When the source said so: `YYYY-MM-DD`, or `YYYY-MM` where the day is not known. */
  readonly asOf: string;
  /** Where it said so. */
  readonly source: string;
}

/** The price of a model, or null when it is not known. Dated ids (`claude-haiku-4-5-20251001`) are their family. */
export function priceOf(modelId: string): Price | null {
  const family = modelId.replace(/-\d{8}$/, '');
  const id = [modelId, family].find((candidate) => Object.hasOwn(PRICES, candidate));
  return id === undefined ? null : (PRICES[id]?.price ?? null);
}

/**
 * Reads `in=1,out=5[,read=0.1][,write5m=1.25][,write1h=2]`, all in USD per million tokens.
 * Without a price of its own a cache read costs 0.1 × `in`, a write 1.25 × (5 minutes) or 2 × (1 hour).
 * @throws {UserError} on an unknown, doubled, missing or unreadable part
 */
export function parsePrice(text: string): Price {
  const parts = new Map<string, number>();
  for (const part of text.split(',')) {
    const [name, usd] = parsePart(part, text);
    if (parts.has(name)) throw priceError(text, `"${name}" is there twice.`);
    parts.set(name, usd);
  }
  const [input, output] = [parts.get('in'), parts.get('out')];
  if (input === undefined || output === undefined) throw priceError(text, '"in" and "out" are both needed.');
  return {
    ...cardFrom(input, output),
    ...defined('cacheRead', parts.get('read')),
    ...defined('cacheWrite5m', parts.get('write5m')),
    ...defined('cacheWrite1h', parts.get('write1h')),
  };
}

/** Dearer than any model by far; a price above it was meant per token, or in another currency. */
const MAX_USD = 1_000;
const PART_NAMES = ['in', 'out', 'read', 'write5m', 'write1h'];

function parsePart(part: string, whole: string): readonly [string, number] {
  const [, name = '', amount = ''] = /^\s*(\w+)\s*=\s*(\d+(?:\.\d+)?|\.\d+)\s*$/.exec(part) ?? [];
  if (!PART_NAMES.includes(name)) throw priceError(whole, `"${part.trim()}" is none of its parts.`);
  const usd = Number(amount);
  if (usd > MAX_USD) throw priceError(whole, `"${part.trim()}" is above ${MAX_USD} USD per million tokens.`);
  return [name, usd];
}

const priceError = (text: string, problem: string): UserError =>
  new UserError(
    `No price in "${text}": ${problem} ` +
      'Write USD per million tokens, such as in=1,out=5 or in=1,out=5,read=0.1,write5m=1.25,write1h=2.',
  );

const defined = (name: keyof Price, usd: number | undefined): Partial<Price> =>
  usd === undefined ? {} : { [name]: usd };

/** A card at the usual multipliers. */
const cardFrom = (input: number, output: number, cacheRead = scaled(input, 0.1)): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite5m: scaled(input, 1.25),
  cacheWrite1h: scaled(input, 2),
});

/** 0.1 × 3 is 0.30000000000000004; a price list says 0.3. */
const scaled = (usd: number, factor: number): number => Number((usd * factor).toFixed(9));

const PRICE_PAGE = 'https://platform.claude.com/docs/en/about-claude/pricing';
const on = (asOf: string, price: Price): DatedPrice => ({ price, asOf, source: PRICE_PAGE });

/**
 * Model id → price. Writes cost 1.25 × and 2 × the input price on every card; reads differ by model, so the third
 * number states a read that is not 0.1 ×.
 */
export const PRICES: Readonly<Record<string, DatedPrice>> = {
  // 5.2 of either is sold, but no price page that lists it was found.
  'claude-fable-5-1': on('2026-10', cardFrom(10, 50, 0.25)),
  'claude-mythos-5-1': on('2026-10', cardFrom(10, 50, 0.25)),
  'claude-fable-5': on('2026-08-21', cardFrom(10, 50)),
  'claude-mythos-5': on('2026-08-21', cardFrom(10, 50)),
  'claude-opus-5-5': on('2026-10', cardFrom(4, 20, 0.2)),
  'claude-opus-5': on('2026-08-21', cardFrom(5, 25)),
  'claude-opus-4-8': on('2026-08-21', cardFrom(5, 25)),
  'claude-opus-4-7': on('2026-08-21', cardFrom(5, 25)),
  'claude-opus-4-6': on('2026-08-21', cardFrom(5, 25)),
  'claude-opus-4-5': on('2026-08-21', cardFrom(5, 25)),
  // Reads were 0.20 until early October 2026.
  'claude-sonnet-5-5': on('2026-10-08', cardFrom(2, 10, 0.1)),
  'claude-sonnet-5': on('2026-08-21', cardFrom(2, 10)),
  'claude-sonnet-4-6': on('2026-08-21', cardFrom(3, 15)),
  'claude-sonnet-4-5': on('2026-08-21', cardFrom(3, 15)),
  // Above 100,000 tokens of prompt the whole request, its output too, is on the second card.
  'claude-haiku-5-5': on('2026-10', {
    ...cardFrom(0.1, 0.5),
    above: { promptTokens: 100_000, price: cardFrom(0.5, 2.5) },
  }),
  'claude-haiku-4-5': on('2026-08-21', cardFrom(1, 5)),
};
