/** Invariant 4: the budget is a ceiling. Nothing is asked that could cost more than is left. */
import { isAsked, type ParsedJournal, type Placed } from './lines.ts';
import type { Header, VerifiedFact } from './schemas.ts';
import { sayer, type Violation } from './violation.ts';

type Amount = Header['nextCost'];

const say = sayer(4);

/** What was spent, and the most that a request could cost, at one point of a run. */
interface Purse {
  readonly spent: Amount;
  readonly turn: Amount;
  readonly summary: Amount;
}

export function ceilingViolations({ header, facts }: ParsedJournal): readonly Violation[] {
  if (header === null) return [];
  const found: Violation[] = [];
  let purse: Purse = { spent: NOTHING, turn: header.nextCost, summary: header.summaryCost };
  // As it was when the request was decided on: what the user says while it is out belongs to the next one.
  let decided = purse;
  let { budget } = header.limits;
  for (const fact of facts) {
    if (fact.type === 'run.resumed') ({ budget } = fact.limits);
    if (isAsked(fact)) {
      const problem = problemOf(fact.request, decided, budget);
      if (problem !== null) found.push(say(fact.line, problem));
    }
    purse = after(purse, fact);
    if (fact.type !== 'user.interjected') decided = purse;
  }
  return found;
}

const NOTHING: Amount = { nanoUsd: 0, tokens: 0 };

function problemOf(
  request: 'turn' | 'summary',
  { spent, ...bounds }: Purse,
  budget: Header['limits']['budget'],
): string | null {
  const more = bounds[request];
  if (budget.tokens !== null && spent.tokens + more.tokens > budget.tokens)
    return `This was asked when ${spent.tokens} of ${budget.tokens} tokens were spent and it could take ${more.tokens} more: the budget was used up.`;
  return budget.nanoUsd !== null && spent.nanoUsd + more.nanoUsd > budget.nanoUsd
    ? `This was asked when ${spent.nanoUsd} of ${budget.nanoUsd} nano-dollars were spent and it could take ${more.nanoUsd} more: the budget was used up.`
    : null;
}

function after({ spent, turn, summary }: Purse, fact: Placed<VerifiedFact>): Purse {
  if (isAsked(fact)) return { spent: plus(spent, fact.cost), turn: fact.nextCost, summary: fact.summaryCost };
  const paid = 'cost' in fact ? plus(spent, fact.cost) : spent;
  if (!('promptCost' in fact)) return { spent: paid, turn, summary };
  const { next, summary: more } = fact.promptCost;
  return { spent: paid, turn: plus(turn, next), summary: plus(summary, more) };
}

const plus = (a: Amount, b: Amount): Amount => ({
  nanoUsd: a.nanoUsd + b.nanoUsd,
  tokens: a.tokens + b.tokens,
});
