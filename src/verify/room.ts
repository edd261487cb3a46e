/** Invariant 4, request by request: a response may be as long as was asked for, and as the budget has room for. */
import { LEAST, plus, promptAfter, promptOf, requestOf, summaryBehind, type Amount } from './bounds.ts';
import { headerAfter, isAsked, isKept, type Asked, type ParsedJournal } from './lines.ts';
import type { Header } from './schemas.ts';
import { sayer, type Violation } from './violation.ts';

const say = sayer(4);

/** What is known when a request goes out. */
interface Room {
  readonly header: Header;
  readonly prompt: number;
  readonly spent: Amount;
  /** How often the response of this turn was cut off and asked for again, and how long it could be. */
  readonly growths: number;
  readonly cutAt: number | null;
}

export function roomViolations({ header: first, facts }: ParsedJournal): readonly Violation[] {
  if (first === null) return [];
  const found: Violation[] = [];
  const words: number[] = [];
  let header = first;
  let room: Room = { header, prompt: promptOf(header), spent: NOTHING, ...UNCUT };
  // What the user says while the request is out belongs to the next one.
  let decided = room;
  for (const fact of facts) {
    if (isAsked(fact)) {
      const problem = problemOf(fact, decided);
      if (problem !== null) found.push(say(fact.line, problem));
    }
    header = headerAfter(header, fact);
    const prompt = promptAfter(room.prompt, fact, words);
    const spent = 'cost' in fact ? plus(room.spent, fact.cost) : room.spent;
    room = { ...room, ...(isAsked(fact) ? afterRequest(room, fact) : {}), header, prompt, spent };
    // Another model has another limit.
    if (fact.type === 'run.resumed') room = { ...room, cutAt: null };
    if (fact.type !== 'user.interjected') decided = room;
  }
  return found;
}

const NOTHING: Amount = { nanoUsd: 0, tokens: 0 };
const UNCUT = { growths: 0, cutAt: null };

function afterRequest({ growths, cutAt }: Room, fact: Asked): Pick<Room, 'growths' | 'cutAt'> {
  if (fact.type === 'model.truncated' && fact.canGrow) return { growths: growths + 1, cutAt: fact.maxTokens };
  // What goes on behind a pause is of the same turn.
  return isKept(fact) && fact.type !== 'model.paused' ? UNCUT : { growths, cutAt };
}

function problemOf(fact: Asked, { header, prompt, spent, growths, cutAt }: Room): string | null {
  const { type, maxTokens } = fact;
  const most = header.maxTokens * 2 ** growths;
  if (maxTokens > most) return `${type} could be ${maxTokens} tokens long; ${most} were asked for at most.`;
  const { budget } = header.limits;
  if (budget.tokens === null && budget.nanoUsd === null)
    return cutAt !== null && maxTokens <= cutAt
      ? `The response before was cut off at ${cutAt} tokens, and this one could be no longer: ${maxTokens}.`
      : null;
  // That not even the smallest one fits is named elsewhere: it should not have been asked at all.
  const worst = plus(spent, worstOf(fact, prompt, maxTokens, header.price));
  const least = plus(spent, worstOf(fact, prompt, Math.min(LEAST, maxTokens), header.price));
  return isBeyond(worst, budget) && !isBeyond(least, budget)
    ? `${type} could be ${maxTokens} tokens long, and the budget has no room for that: it could come to ${worst.tokens} tokens and ${worst.nanoUsd} nano-dollars.`
    : null;
}

const isBeyond = ({ tokens, nanoUsd }: Amount, budget: Header['limits']['budget']): boolean =>
  (budget.tokens !== null && tokens > budget.tokens) || (budget.nanoUsd !== null && nanoUsd > budget.nanoUsd);

/** Of a turn with the summary that could follow it. */
function worstOf(fact: Asked, prompt: number, maxTokens: number, price: Header['price']): Amount {
  if (fact.request === 'turn')
    return plus(requestOf(prompt, maxTokens, price), summaryBehind(prompt, maxTokens, price));
  const instruction = 'instruction' in fact ? fact.instruction : null;
  return requestOf(prompt + (instruction === null ? 0 : Buffer.byteLength(instruction)), maxTokens, price);
}
