import { initialTransition, transition } from 'xstate';
import { describe, expect, it } from 'vitest';
import { agentLoop, type LoopEvent, type LoopInput } from '../../machines/index.ts';
import { inputOf } from '../../src/paths/configuration.ts';
import { CARRIED } from '../../src/paths/carried.ts';
import { CONFIGURATIONS } from '../../src/paths/configurations.ts';
import { graphOf } from '../../src/paths/graph.ts';

/** Every amount of tokens as one of money, and the other way round. */
const exchanged = <Value>(value: Value): Value =>
  // What goes in comes out, with the same fields.
  JSON.parse(JSON.stringify(value), (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || !('nanoUsd' in inner) || !('tokens' in inner))
      return inner;
    return { nanoUsd: inner.tokens, tokens: inner.nanoUsd };
  }) as Value;

const rows = [...CONFIGURATIONS, ...CARRIED]
  .filter(({ budget = null }) => budget !== null)
  .map((configuration) => ({ name: configuration.name, graph: graphOf(configuration) }));

/** The graphs have budgets in tokens; the machine compares both currencies. */
describe('a budget in USD is kept as one in tokens is', () => {
  it.each(rows)('$name: on every edge', ({ graph }) => {
    const input: LoopInput = inputOf(graph.configuration);
    const [start] = initialTransition(agentLoop, exchanged(input));
    const visits = [{ key: graph.start, snapshot: start }];
    const seen = new Set([graph.start]);
    for (const { key, snapshot } of visits) {
      const node = graph.nodes.get(key);
      for (const { event, to } of node?.edges ?? []) {
        const [next] = transition(agentLoop, snapshot, exchanged<LoopEvent>(event));
        const there = graph.nodes.get(to)?.snapshot;
        expect(next.value).toEqual(there?.value);
        expect(next.context).toEqual(exchanged(there?.context));
        if (seen.has(to)) continue;
        seen.add(to);
        visits.push({ key: to, snapshot: next });
      }
    }
    expect(seen.size).toBe(graph.nodes.size);
  });
});
