/**
 * Upper bounds of what requests can cost, so that a budget is a ceiling. docs/budget.md explains the formulas.
 *
 * A text has at most as many tokens as it has UTF-8 bytes; what the API has counted already is taken as counted.
 */
import type { Amount, Budget, PromptCost } from '../../machines/index.ts';
import type { Fact, JournalHeader, Price } from '../ports.ts';
import { costOf, promptTokens } from './cost.ts';

/** The least that a response is given, in tokens. */
export const MIN_MAX_TOKENS = 1_024;

/** The API adds a system prompt of its own when tools are defined: 804 tokens at most in the price list. */
const HIDDEN_PROMPT_TOKENS = 1_024;

/** Frame of one message or block. */
const FRAME_TOKENS = 64;

/** Instruction of a summary, and the results of calls that are closed before it. */
const SUMMARY_WORDS_TOKENS = 1_024;

export interface Bounds {
  readonly nextCost: Amount;
  readonly summaryCost: Amount;
}

const bytesOf = (value: unknown): number =>
  Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));

/** Upper bound of the tokens that `text` adds to a prompt. */
export const textBound = (text: string): number => bytesOf(text) + FRAME_TOKENS;

/** Upper bound of the prompt of the next request, in tokens: a fold over the facts. */
export function promptBound(
  header: Pick<JournalHeader, 'system' | 'tools' | 'task'>,
  facts: readonly Fact[],
): number {
  return facts.reduce(addToPrompt, startPrompt(header)).tokens;
}

export const startPrompt = (header: Pick<JournalHeader, 'system' | 'tools' | 'task'>): PromptState => ({
  tokens: bytesOf(header.system) + bytesOf(header.tools) + HIDDEN_PROMPT_TOKENS + textBound(header.task),
  words: [],
});

/** Upper bound of a prompt, and what it is made of as far as that still matters. */
export interface PromptState {
  readonly tokens: number;
  /** What each interjection adds. */
  readonly words: readonly number[];
}

export function addToPrompt({ tokens, words }: PromptState, fact: Fact): PromptState {
  switch (fact.type) {
    case 'tool.finished':
      return { tokens: tokens + textBound(fact.outcome.content), words };
    case 'user.interjected': {
      const more = textBound(fact.text);
      return { tokens: tokens + more, words: [...words, more] };
    }
    case 'run.resumed': {
      const more = fact.words.map(textBound);
      return { tokens: more.reduce((sum, bound) => sum + bound, tokens), words: [...words, ...more] };
    }
    case 'model.answered':
    case 'model.called_tools':
    case 'model.paused': {
      if (fact.billing !== 'reported' || fact.usage === null) {
        return { tokens: tokens + bytesOf(fact.message.content) + FRAME_TOKENS, words };
      }
      // The count is exact for what the request held; what was said meanwhile comes on top.
      const unheard = words.slice(fact.heard).reduce((sum, more) => sum + more, 0);
      return { tokens: promptTokens(fact.usage) + fact.usage.output_tokens + FRAME_TOKENS + unheard, words };
    }
    case 'model.truncated':
    case 'model.refused':
    case 'model.overflowed':
    case 'model.failed':
    case 'retry.due':
    case 'approval.decided':
    case 'tool.started':
    case 'limit.raised':
    case 'limit.kept':
    case 'run.aborted':
      return { tokens, words };
  }
}

/** The most that one request can cost. */
export const requestBound = (prompt: number, maxTokens: number, price: Price | null): Amount =>
  costOf({ input_tokens: prompt, output_tokens: maxTokens }, price);

/** A summary at the smallest `max_tokens`, and an ordinary request at it that leaves room for such a summary. */
export function boundsFor(prompt: number, price: Price | null): Bounds {
  const summaryCost = summaryBound(prompt, price);
  return { summaryCost, nextCost: turnBound(prompt, MIN_MAX_TOKENS, price) };
}

const summaryBound = (prompt: number, price: Price | null): Amount =>
  requestBound(prompt + SUMMARY_WORDS_TOKENS, MIN_MAX_TOKENS, price);

/** An ordinary request, and the summary that could follow it. */
const turnBound = (prompt: number, maxTokens: number, price: Price | null): Amount =>
  plus(requestBound(prompt, maxTokens, price), summaryBound(prompt + maxTokens + FRAME_TOKENS, price));

/**
 * What a longer prompt adds to the bounds. It may add more than its tokens: beyond a threshold all of it is dearer.
 * @param priceBefore where the model has changed: a cheaper one takes something away
 */
export function promptCost(
  before: number,
  after: number,
  price: Price | null,
  priceBefore: Price | null = price,
): PromptCost {
  const [less, more] = [boundsFor(before, priceBefore), boundsFor(after, price)];
  return {
    next: minus(more.nextCost, less.nextCost),
    summary: minus(more.summaryCost, less.summaryCost),
  };
}

export interface Room {
  readonly request: 'turn' | 'summary';
  /** `max_tokens` where money is no matter. */
  readonly wanted: number;
  readonly prompt: number;
  readonly price: Price | null;
  readonly budget: Budget;
  readonly spent: Amount;
}

/** The largest `max_tokens` up to `wanted` whose worst case fits the budget, but never below 1,024 (or `wanted`). */
export function fitMaxTokens(room: Room): number {
  let low = Math.min(MIN_MAX_TOKENS, room.wanted);
  let high = room.wanted;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(room, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The worst case of the request, and of the summary behind a turn, is within the budget. */
export function fits({ request, prompt, price, budget, spent }: Room, maxTokens: number): boolean {
  const worst = plus(
    spent,
    request === 'turn' ? turnBound(prompt, maxTokens, price) : requestBound(prompt, maxTokens, price),
  );
  return (
    (budget.nanoUsd === null || worst.nanoUsd <= budget.nanoUsd) &&
    (budget.tokens === null || worst.tokens <= budget.tokens)
  );
}

const plus = (a: Amount, b: Amount): Amount => ({
  nanoUsd: a.nanoUsd + b.nanoUsd,
  tokens: a.tokens + b.tokens,
});

const minus = (a: Amount, b: Amount): Amount => ({
  nanoUsd: a.nanoUsd - b.nanoUsd,
  tokens: a.tokens - b.tokens,
});
