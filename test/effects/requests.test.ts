import { describe, expect, it } from 'vitest';
import { promptBound, promptCost, textBound } from '../../src/budget/bounds.ts';
import { prepare } from '../../src/effects/call-model.ts';
import { instructive } from '../../src/tools/texts.ts';
import { contextWith } from '../machines/support.ts';
import { play, replies, text, toolUse } from '../support/world.ts';

const answers = () => replies([text('Done.')]);

describe('a request', () => {
  it.each([
    { what: 'a blank system text is left out', header: { system: ' \n' }, field: 'system', value: undefined },
    { what: 'a system text is sent', header: { system: 'Be short.' }, field: 'system', value: 'Be short.' },
    { what: 'no effort sends none', header: { effort: null }, field: 'output_config', value: undefined },
    {
      what: 'an effort is sent',
      header: { effort: 'low' },
      field: 'output_config',
      value: { effort: 'low' },
    },
    { what: 'no tools send none', header: { tools: [] }, field: 'tools', value: undefined },
  ])('$what', async ({ header, field, value }) => {
    const { requests } = await play({ turns: [answers()], header });
    expect(requests[0]?.[field as 'system']).toEqual(value);
    expect(field in Object(requests[0])).toBe(value !== undefined);
  });
});

describe('what a result adds to the next prompt', () => {
  const cheap = { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
  const dear = { ...cheap, input: 10 };

  it('is charged behind the results before it: the second may cross into a dearer card', async () => {
    const content = 'x'.repeat(1_000);
    const { facts, lines } = await play({
      turns: [replies([toolUse('a'), toolUse('b')]), answers()],
      box: { run: async () => ({ kind: 'succeeded', content }) },
      header: { price: { ...cheap, above: { promptTokens: 2_000, price: dear } } },
    });
    const [header] = lines;
    const [called] = facts;
    if (header?.type !== 'run.started' || called === undefined) throw new Error('No run.');
    const before = promptBound(header, [called]);
    const each = textBound(content);
    const costs = facts.flatMap((fact) => (fact.type === 'tool.finished' ? [fact.promptCost] : []));
    expect(costs).toEqual([
      promptCost(before, before + each, header.price),
      promptCost(before + each, before + 2 * each, header.price),
    ]);
    expect(costs[0]).not.toEqual(costs[1]);
  });
});

it('the bound of a summary knows its instruction', async () => {
  const { lines, facts } = await play({ turns: [replies([toolUse('a')])], limits: { maxTurns: 1 } });
  const [header] = lines;
  if (header?.type !== 'run.started') throw new Error('No run.');
  const summary = (words: string) =>
    prepare(
      { header, facts, context: contextWith({}) },
      {
        model: {
          id: 'm',
          limits: { maxTokens: 1, contextWindow: 1 },
          price: null,
          send: () => new Promise(() => {}),
        },
        texts: { ...instructive, summary: () => words },
      },
      'summary',
      true,
    ).prompt;
  expect(summary('x'.repeat(100)) - summary('x')).toBe(99);
  expect(summary('x')).toBe(promptBound(header, facts) + textBound('x'));
});
