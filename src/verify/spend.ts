/** Invariant 4: what was billed is counted, all of it and as it was billed. */
import { ADDED } from './bounds.ts';
import { costOf, totalOf } from './cost.ts';
import { headerAfter, type ParsedJournal, type Placed } from './lines.ts';
import type { Header, Stopped, VerifiedFact } from './schemas.ts';
import { sayer, type Violation } from './violation.ts';

const say = sayer(4);

export function spendViolations({ header: first, order }: ParsedJournal): readonly Violation[] {
  if (first === null) return [];
  const found: Violation[] = [];
  const billed: Billed[] = [];
  let header = first;
  for (const line of order) {
    if (line.type === 'run.ended') {
      const { result } = line;
      if (result.state === 'stopped') found.push(...sumViolations(line.line, result, billed, header.price));
    } else if (line.type !== 'run.started') {
      if ('cost' in line) {
        const problem = problemOf(line, header.price);
        if (problem !== null) found.push(say(line.line, problem));
        billed.push(line);
      }
      header = headerAfter(header, line);
    }
  }
  return found;
}

type Billed = Placed<Extract<VerifiedFact, { cost: unknown }>>;

function problemOf(fact: Billed, price: Header['price']): string | null {
  const { type, usage, billing, cost } = fact;
  if ('abortedRequest' in fact && isUnpaid(fact))
    return `${type} says that ${fact.abortedRequest === null ? 'no request was out, and has a bill' : 'a request was lost, and that it is known what that cost'}.`;
  if (billing === 'unknown') return boundProblem(fact, price);
  if (billing === 'reported' && usage === null) return `${type} has no usage, but says that it was reported.`;
  if (billing === 'none' && (cost.tokens > 0 || cost.nanoUsd > 0))
    return `${type} was not billed, and costs ${cost.tokens} tokens.`;
  const known = costOf(billing === 'none' || usage === null ? {} : usage, price);
  const isRight = cost.tokens === known.tokens && (known.nanoUsd === null || cost.nanoUsd === known.nanoUsd);
  return isRight
    ? null
    : `${type} costs ${cost.tokens} tokens and ${cost.nanoUsd} nano-dollars; by its usage it is ${known.tokens} and ${known.nanoUsd ?? 'unknown'}.`;
}

/** Where no request was out there is no bill; nobody knows what one has cost whose process died. */
const isUnpaid = ({ type, abortedRequest, billing }: Extract<Billed, { abortedRequest: unknown }>): boolean =>
  abortedRequest === null ? billing !== 'none' : type === 'run.resumed' && billing !== 'unknown';

/** Nothing was reported: the most that it can have cost is charged, that is at least a whole `max_tokens`. */
function boundProblem(fact: Billed, price: Header['price']): string | null {
  // Of a request that was lost not even `max_tokens` is known: a prompt has at least what the API may add to it.
  const output = 'maxTokens' in fact ? { output_tokens: fact.maxTokens } : { input_tokens: ADDED };
  const cards = price?.above === undefined ? [price] : [price, price.above.price];
  const isBound = cards.some((card) => {
    const { tokens, nanoUsd } = costOf(output, card);
    return fact.cost.tokens >= tokens && fact.cost.nanoUsd >= (nanoUsd ?? 0);
  });
  return isBound ? null : `${fact.type} says nothing of its usage, and costs less than it could have.`;
}

function sumViolations(
  line: number,
  result: Stopped,
  billed: readonly Billed[],
  price: Header['price'],
): readonly Violation[] {
  const nanoUsd = billed.reduce((sum, { cost }) => sum + cost.nanoUsd, 0);
  const costUsd = price === null ? null : nanoUsd / 1e9;
  const usage = totalOf(billed.map((fact) => fact.usage ?? {}));
  const isIncomplete = billed.some(({ billing }) => billing === 'unknown' || billing === 'partial');
  return [
    ...(result.costUsd === costUsd
      ? []
      : [
          say(
            line,
            `The outcome says that ${String(result.costUsd)} USD were spent; the facts sum up to ${String(costUsd)}.`,
          ),
        ]),
    ...(Object.entries(usage) as [keyof typeof usage, number][])
      .filter(([name, sum]) => result.usage[name] !== sum)
      .map(([name, sum]) =>
        say(line, `The outcome has ${name} ${result.usage[name]}; the facts sum up to ${sum}.`),
      ),
    ...(result.isUsageIncomplete === isIncomplete
      ? []
      : [say(line, `The outcome says that its usage is ${isIncomplete ? '' : 'in'}complete; it is not.`)]),
  ];
}
