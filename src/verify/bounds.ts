/**
 * Invariant 4, the other half: a ceiling holds only if the bounds that it goes by are true. They are worked out again
 * here, from what was said and reported; docs/budget.md has the formulas.
 */
import { costOf } from './cost.ts';
import {
  headerAfter,
  isAsked,
  isKept,
  wordsIn,
  type Asked,
  type ParsedJournal,
  type Placed,
} from './lines.ts';
import type { Header, VerifiedFact } from './schemas.ts';
import { sayer, type Violation } from './violation.ts';

export type Amount = Header['nextCost'];

interface Bounds {
  readonly next: Amount;
  readonly summary: Amount;
}

const say = sayer(4);

/** What the API may add, a block's or message's frame, the least `max_tokens`, the words of a summary. */
export const ADDED = 1_024;
const FRAME = 64;
export const LEAST = 1_024;
const WORDS = 1_024;

/** Each bound that is lower than what the next request could take. */
export function boundViolations({ header: first, facts }: ParsedJournal): readonly Violation[] {
  if (first === null) return [];
  let header = first;
  let prompt = promptOf(header);
  let told: Bounds = { next: header.nextCost, summary: header.summaryCost };
  const words: number[] = [];
  const found = problem(told, prompt, header.price, header.line);
  for (const fact of facts) {
    header = headerAfter(header, fact);
    prompt = promptAfter(prompt, fact, words);
    told = toldBy(told, fact);
    found.push(...problem(told, prompt, header.price, fact.line));
  }
  return found.slice(0, 1);
}

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** The most tokens that the first prompt can have. */
export const promptOf = ({ system, tools, task }: Header): number =>
  bytesOf(system) + bytesOf(JSON.stringify(tools)) + ADDED + bytesOf(task) + FRAME;

/**
 * The most tokens that the next prompt can have.
 * @param words what each text of the user can have; those of the fact are added
 */
export function promptAfter(prompt: number, fact: Placed<VerifiedFact>, words: number[]): number {
  const said = wordsIn(fact).map((text) => bytesOf(text) + FRAME);
  words.push(...said);
  return said.reduce((sum, more) => sum + more, promptWith(prompt, fact, words));
}

function promptWith(prompt: number, fact: Placed<VerifiedFact>, words: readonly number[]): number {
  if (fact.type === 'tool.finished') return prompt + bytesOf(fact.outcome.content) + FRAME;
  if (!isKept(fact) || fact.type === 'model.truncated') return prompt;
  return reported(fact, words) ?? prompt + bytesOf(JSON.stringify(fact.message.content)) + FRAME;
}

/** What the API has counted, and what was said since; null where it did not count. */
function reported({ billing, usage, heard }: Asked, words: readonly number[]): number | null {
  if (billing !== 'reported' || usage === null) return null;
  const fields = [
    'input_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
    'output_tokens',
  ].map((field) => usage[field]);
  const tokens = fields.reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
  return words.slice(heard).reduce((sum, more) => sum + more, tokens + FRAME);
}

function toldBy({ next, summary }: Bounds, fact: Placed<VerifiedFact>): Bounds {
  if (isAsked(fact)) return { next: fact.nextCost, summary: fact.summaryCost };
  if (!('promptCost' in fact)) return { next, summary };
  return { next: plus(next, fact.promptCost.next), summary: plus(summary, fact.promptCost.summary) };
}

function problem(told: Bounds, prompt: number, price: Header['price'], line: number): Violation[] {
  const summary = requestOf(prompt + WORDS, LEAST, price);
  const next = plus(requestOf(prompt, LEAST, price), summaryBehind(prompt, LEAST, price));
  if (isLess(told.summary, summary))
    return [
      say(line, `A summary could take ${asText(summary)} now; the journal says ${asText(told.summary)}.`),
    ];
  return isLess(told.next, next)
    ? [
        say(
          line,
          `Another turn and its summary could take ${asText(next)} now; the journal says ${asText(told.next)}.`,
        ),
      ]
    : [];
}

/** The most that the summary behind such a turn costs. */
export const summaryBehind = (prompt: number, maxTokens: number, price: Header['price']): Amount =>
  requestOf(prompt + maxTokens + FRAME + WORDS, LEAST, price);

/** The most that a request costs. */
export function requestOf(prompt: number, maxTokens: number, price: Header['price']): Amount {
  const { tokens, nanoUsd } = costOf({ input_tokens: prompt, output_tokens: maxTokens }, price);
  return { tokens, nanoUsd: nanoUsd ?? 0 };
}

const isLess = (told: Amount, real: Amount): boolean =>
  told.tokens < real.tokens || told.nanoUsd < real.nanoUsd;

const asText = ({ tokens, nanoUsd }: Amount): string => `${tokens} tokens and ${nanoUsd} nano-dollars`;

export const plus = (a: Amount, b: Amount): Amount => ({
  nanoUsd: a.nanoUsd + b.nanoUsd,
  tokens: a.tokens + b.tokens,
});
