import { describe, expect, it } from 'vitest';
import type { JournalLine } from '../../src/ports.ts';
import { transcriptOf } from '../../src/journal/transcript.ts';
import { verifyTranscript } from '../../src/verify/index.ts';
import { both, clean, set } from './recorded.ts';
import { WORLDS } from './worlds.ts';

const exported = (lines: readonly unknown[]): unknown =>
  JSON.parse(JSON.stringify(transcriptOf(lines as readonly JournalLine[])));

const ran = (id: string) => `The call ${id} ran, and nobody had approved it.`;
const call = (changes: object) => ({
  id: 'x',
  verdict: 'allow',
  decision: null,
  started_at: null,
  outcome: 'failed',
  ...changes,
});

/** Path in the document, what is put there, and all that is said of it. */
const DAMAGES: readonly (readonly [string, string, unknown, readonly (readonly [number, string])[]])[] = [
  ['a denied call that ran', 'turns.1.calls.0.started_at', 'now', [[2, ran('c')]]],
  ['a denied call that succeeded', 'turns.1.calls.0.outcome', 'succeeded', [[2, ran('c')]]],
  ['a call without an approval', 'turns.2.calls.0.decision', null, [[2, ran('d')]]],
  ['a call that was denied', 'turns.2.calls.0.decision.decision', 'deny', [[2, ran('d')]]],
  ['an invalid call that ran', 'turns.0.calls.0.verdict', 'invalid', [[2, ran('a')]]],
  ['an invalid call that did not run', 'turns.0.calls.0', call({ verdict: 'invalid' }), []],
  ['a call that is open', 'turns.0.calls.0.outcome', 'open', [[3, 'The call a has no result.']]],
  [
    'a result that is gone',
    'messages.2.content',
    [],
    [
      [
        1,
        'The API refuses to go on from here: messages.2: all messages must have non-empty content except for the optional final assistant message',
      ],
    ],
  ],
  [
    'a spend below its turns',
    'result.cost_usd',
    0.000599999,
    [[4, 'The turns cost more than the 0.000599999 USD of the result.']],
  ],
  ['a spend above its turns', 'result.cost_usd', 0.0007, []],
  ['a spend that nobody knows', 'result.cost_usd', null, []],
  ['a cost that nobody knows', 'turns.0.requests.0.cost_usd', null, []],
  [
    'a cost that is more',
    'turns.0.requests.0.cost_usd',
    0.0002,
    [[4, 'The turns cost more than the 0.0006 USD of the result.']],
  ],
  [
    'turns that are none',
    'turns',
    'three',
    [[0, 'This is no transcript: Invalid input: expected array, received string (turns).']],
  ],
  [
    'a call without an id',
    'turns.0.calls.0',
    {},
    [[0, 'This is no transcript: Invalid input: expected string, received undefined (turns.0.calls.0.id).']],
  ],
];

describe('verifyTranscript', () => {
  it.each(WORLDS)('finds nothing in the transcript of a run that %s: %s', async (_, __, run) => {
    const { lines } = await run();
    expect(verifyTranscript(exported(lines))).toEqual([]);
  });

  it.each(DAMAGES)('says of %s this, and no more', (_, path, value, expected) => {
    const [damaged] = set(1, path, value)([exported(clean())]);
    expect(verifyTranscript(damaged)).toEqual(
      expected.map(([invariant, message]) => ({ line: 1, invariant, message })),
    );
  });

  it.each([
    { what: 'has not ended', result: null },
    { what: 'waits', result: { state: 'waiting' } },
  ])('takes an open call and a history without its result where the run $what', ({ result }) => {
    const changed = both(
      set(1, 'result', result),
      set(1, 'turns.0.calls.0', call({ outcome: 'open' })),
      set(1, 'messages.2.content', []),
    );
    const [damaged] = changed([exported(clean())]);
    expect(verifyTranscript(damaged)).toEqual([]);
  });

  it.each([
    [null, 'This is no transcript: Invalid input: expected object, received null.'],
    [7, 'This is no transcript: Invalid input: expected object, received number.'],
    [{}, 'This is no transcript: Invalid input: expected string, received undefined (model).'],
    [[], 'This is no transcript: Invalid input: expected object, received array.'],
    [{ messages: 1n }, 'This is not JSON: it is no transcript.'],
  ])('says that %s is none', (value, message) => {
    expect(verifyTranscript(value)).toEqual([{ line: 1, invariant: 0, message }]);
  });
});
