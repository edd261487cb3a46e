/** Invariant 4: what was billed is counted, all of it, and the budget is a ceiling. */
import type { Header, ParsedJournal, Placed, VerifiedFact, Violation } from './lines.ts';

type Price = NonNullable<Header['price']>;

export function spendViolations({ header, facts, ends }: ParsedJournal): readonly Violation[] {
  if (header === null) return [];
  const { price, limits } = header;
  return [
    ...facts.flatMap((fact) => costViolations(fact, price)),
    ...ends.flatMap(({ line, result }) => {
      if (result.state !== 'stopped') return [];
      const { nanoUsd } = totalOf(facts.filter((fact) => fact.line < line));
      const expected = price === null ? null : nanoUsd / 1e9;
      return result.costUsd === expected
        ? []
        : [
            say(
              line,
              `The outcome says that ${String(result.costUsd)} USD were spent; the facts sum up to ${String(expected)}.`,
            ),
          ];
    }),
    ...ceilingViolations(facts, limits.budget),
  ];
}

const say = (line: number, message: string): Violation => ({ line, invariant: 4, message });

const costsOf = (facts: readonly VerifiedFact[]) =>
  facts.flatMap((fact) => ('cost' in fact ? [fact.cost] : []));

const totalOf = (facts: readonly VerifiedFact[]) =>
  costsOf(facts).reduce(
    (sum, cost) => ({ nanoUsd: sum.nanoUsd + cost.nanoUsd, tokens: sum.tokens + cost.tokens }),
    { nanoUsd: 0, tokens: 0 },
  );

/** A response that says what it used costs just that; one that does not, at most what it could have. */
function costViolations(fact: Placed<VerifiedFact>, price: Header['price']): readonly Violation[] {
  if (!('cost' in fact)) return [];
  const { line, usage, billing, cost } = fact;
  if (billing === 'none' && (cost.tokens > 0 || cost.nanoUsd > 0)) {
    return [say(line, `${fact.type} was not billed, and costs ${cost.tokens} tokens.`)];
  }
  const known = usage === null ? null : simpleCost(usage, price);
  if (known === null) return [];
  const isRight = cost.tokens === known.tokens && cost.nanoUsd === known.nanoUsd;
  return isRight
    ? []
    : [
        say(
          line,
          `${fact.type} costs ${cost.tokens} tokens and ${cost.nanoUsd} nano-dollars; by its usage it is ${known.tokens} and ${known.nanoUsd}.`,
        ),
      ];
}

/** Of an ordinary response. Those that were sampled several times, or have other prices, are not worked out again. */
function simpleCost(usage: Readonly<Record<string, unknown>>, price: Header['price']) {
  const isSpecial =
    Array.isArray(usage['iterations']) ||
    usage['inference_geo'] === 'us' ||
    usage['service_tier'] === 'batch' ||
    (usage['server_tool_use'] !== null && usage['server_tool_use'] !== undefined);
  if (isSpecial) return null;
  const created = usage['cache_creation'];
  const hour =
    typeof created === 'object' && created !== null
      ? count(Reflect.get(created, 'ephemeral_1h_input_tokens'))
      : 0;
  const input = count(usage['input_tokens']);
  const output = count(usage['output_tokens']);
  const read = count(usage['cache_read_input_tokens']);
  const written = Math.max(count(usage['cache_creation_input_tokens']), hour);
  const prompt = input + read + written;
  const tokens = prompt + output;
  if (price === null) return { tokens, nanoUsd: 0 };
  const card: Price = price.above && prompt > price.above.promptTokens ? price.above.price : price;
  const picoUsd =
    input * pico(card.input) +
    output * pico(card.output) +
    read * pico(card.cacheRead) +
    (written - hour) * pico(card.cacheWrite5m) +
    hour * pico(card.cacheWrite1h);
  return { tokens, nanoUsd: Math.ceil(picoUsd / 1_000) };
}

const count = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);

/** USD per million tokens as picodollars per token. */
const pico = (usdPerMillion: number): number => Math.round(usdPerMillion * 1e6);

/** Whatever was asked when the budget was used up already. */
function ceilingViolations(
  facts: readonly Placed<VerifiedFact>[],
  budget: Header['limits']['budget'],
): readonly Violation[] {
  const asked = facts.filter((fact) => fact.type.startsWith('model.'));
  return asked.flatMap((fact) => {
    const { nanoUsd, tokens } = totalOf(facts.filter(({ line }) => line < fact.line));
    const isOver =
      (budget.tokens !== null && tokens >= budget.tokens) ||
      (budget.nanoUsd !== null && nanoUsd >= budget.nanoUsd);
    return isOver ? [say(fact.line, 'This was asked when the budget was used up.')] : [];
  });
}
