import { describe, expect, it } from 'vitest';
import { asDecision, judgeSafely, reasonOf, runSafely } from '../../src/effects/broken-ports.ts';
import { instructive } from '../../src/tools/texts.ts';
import type { Toolbox } from '../../src/ports.ts';

const call = { id: 'a', name: 'read', input: {} };
const { signal } = new AbortController();

/** A toolbox that gives back this, whatever it is. */
const boxOf = (outcome: unknown): Toolbox => ({
  definitions: [],
  judge: () => {
    throw new Error('no rules');
  },
  run: (async () => outcome) as Toolbox['run'],
});

describe('an outcome', () => {
  it.each([
    { kind: 'succeeded', content: '' },
    { kind: 'failed', content: 'x' },
    { kind: 'timed_out', content: 'x', afterMs: 1 },
    { kind: 'interrupted', content: 'x' },
  ])('is taken as it is: $kind', async (outcome) => {
    expect(await runSafely(boxOf(outcome), call, signal, instructive)).toBe(outcome);
  });

  it.each([
    undefined,
    null,
    'done',
    {},
    { kind: 'fine', content: 'x' },
    { kind: 'denied', content: 'x' },
    { kind: 'not_run', content: 'x' },
    { kind: 'succeeded' },
    { kind: 'succeeded', content: 7 },
    { content: 'x' },
    Object.assign(() => undefined, { kind: 'succeeded', content: 'x' }),
  ])('is none: %j', async (outcome) => {
    expect(await runSafely(boxOf(outcome), call, signal, instructive)).toEqual({
      kind: 'failed',
      content: expect.stringContaining('read broke: it gave back no outcome.'),
    });
  });
});

describe('a judgement', () => {
  const judged = (judgement: unknown) =>
    judgeSafely({ ...boxOf(null), judge: (() => judgement) as Toolbox['judge'] }, instructive, 'read', {});

  it.each([
    { verdict: 'allow', effects: 'none', refusal: null },
    { verdict: 'ask', effects: 'some', refusal: null },
    { verdict: 'deny', effects: 'some', refusal: 'Never.' },
    { verdict: 'invalid', effects: 'none', refusal: 'What?' },
  ])('is taken as it is: $verdict', (judgement) => {
    expect(judged(judgement)).toBe(judgement);
  });

  it.each([
    undefined,
    null,
    'allow',
    {},
    { verdict: 'allow' },
    { effects: 'none', refusal: null },
    { verdict: 'allow', effects: 'few', refusal: null },
    { verdict: 'allow', effects: 'none' },
    { verdict: 'allow', effects: 'none', refusal: 'No.' },
    { verdict: 'deny', effects: 'some', refusal: null },
    { verdict: 'invalid', effects: 'some' },
    { verdict: 'maybe', effects: 'some', refusal: null },
    { verdict: 'maybe', effects: 'some', refusal: 'No.' },
  ])('is none: %j', (judgement) => {
    expect(judged(judgement)).toMatchObject({
      verdict: 'invalid',
      effects: 'some',
      refusal: expect.stringContaining('it gave back no judgement'),
    });
  });
});

it('a call that cannot be judged is taken for one with effects, and does not run', () => {
  expect(judgeSafely(boxOf(null), instructive, 'read', {})).toEqual({
    verdict: 'invalid',
    effects: 'some',
    refusal: expect.stringContaining('read broke: no rules.'),
  });
});

describe('a decision', () => {
  it.each([
    { decision: 'wait' },
    { decision: 'approve', by: 'person' },
    { decision: 'deny', by: 'person', reason: null },
    { decision: 'quit', by: 'person' },
  ])('is taken as it is: $decision', (answer) => {
    expect(asDecision(answer)).toBe(answer);
  });

  it.each([
    undefined,
    null,
    'approve',
    {},
    { by: 'person' },
    { decision: 'maybe', by: 'person' },
    { decision: 'approve' },
    { decision: 'deny', by: 7 },
    { decision: 'quit', by: null },
    Object.assign(() => undefined, { decision: 'approve', by: 'person' }),
  ])('is none: %j', (answer) => {
    expect(() => asDecision(answer)).toThrow(new TypeError('the answer was no decision'));
  });
});

describe('what was thrown', () => {
  it.each([
    { what: 'an error', thrown: new Error('  no\n\n  disk '), line: 'no disk' },
    { what: 'a text', thrown: 'no disk', line: 'no disk' },
    { what: 'half a character', thrown: new Error('no \ud800'), line: 'no \ufffd' },
    { what: 'an object without a text', thrown: Object.create(null), line: 'no reason was given' },
  ])('is one line: $what', ({ thrown, line }) => {
    expect(reasonOf(thrown)).toBe(line);
  });
});
