import { describe, expect, it } from 'vitest';
import { missedAnswers, missedTransitions, record } from './recorder.ts';
import { refusals } from './refusals.ts';
import { rules } from './rules/index.ts';
import { begin, inputWith, play, stateOf, take } from './support.ts';

describe('the agent loop', () => {
  it.each(rules.map((row) => [row.rule, row] as const))('%s', (_rule, row) => {
    const { input = inputWith(), start = 'callingModel', steps, output, context } = row;
    const states = [begin(input)];
    for (const [fact] of steps) states.push(take(states.at(-1) ?? begin(input), fact));
    const last = states.at(-1);

    expect(states.map(stateOf)).toEqual([start, ...steps.map(([, state]) => state)]);
    if (output !== undefined) expect(last?.output).toMatchObject(output);
    if (context !== undefined) expect(last?.context).toMatchObject(context);
  });

  it.each(rules.map((row) => [row.rule, row] as const))('an actor agrees: %s', (_rule, row) => {
    const { input = inputWith(), start = 'callingModel', steps } = row;
    const facts = steps.map(([fact]) => fact);
    expect(record(input, facts)).toEqual([start, ...steps.map(([, state]) => state)]);
  });

  it.each(refusals.map((row) => [row.rule, row] as const))('refuses %s', (_rule, row) => {
    const { input = inputWith(), facts, refused } = row;
    const snapshot = play(input, facts);
    const states = record(input, [...facts, refused]);

    expect(stateOf(snapshot)).toBe(row.state);
    expect(snapshot.can(refused)).toBe(false);
    expect(states.at(-1)).toBe(row.state);
  });
});

// Last, and in this file: it looks back on the runs above.
describe('the rows above', () => {
  it('take every transition of the machine', () => {
    expect(missedTransitions()).toEqual([]);
  });

  it('hear both answers of every guard', () => {
    expect(missedAnswers()).toEqual([]);
  });
});
