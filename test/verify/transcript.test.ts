import { describe, expect, it } from 'vitest';
import type { JournalLine } from '../../src/ports.ts';
import { transcriptOf } from '../../src/journal/transcript.ts';
import { verifyTranscript } from '../../src/verify/index.ts';
import { clean, set } from './recorded.ts';
import { WORLDS } from './worlds.ts';

const exported = (lines: readonly unknown[]): unknown =>
  JSON.parse(JSON.stringify(transcriptOf(lines as readonly JournalLine[])));

/** Path in the document, what is put there, and what is said of it. */
const DAMAGES: readonly (readonly [string, string, unknown, number, RegExp])[] = [
  [
    'a denied call that ran',
    'turns.1.calls.0.started_at',
    'now',
    2,
    /The call c ran, and nobody had approved it/,
  ],
  ['a call without an approval', 'turns.2.calls.0.decision', null, 2, /The call d ran, and nobody/],
  ['a call that is open', 'turns.0.calls.0.outcome', 'open', 3, /The call a has no result/],
  ['a result that is gone', 'messages.2.content', [], 1, /API refuses.*messages\.2: all messages must have/],
  ['a spend below its turns', 'result.cost_usd', 0.0005, 4, /cost more than the 0\.0005 USD/],
  ['turns that are none', 'turns', 'three', 0, /^This is no transcript: .*\(turns\)/],
];

describe('verifyTranscript', () => {
  it.each(WORLDS)('finds nothing in the transcript of a run that %s: %s', async (_, __, run) => {
    const { lines } = await run();
    expect(verifyTranscript(exported(lines))).toEqual([]);
  });

  it.each(DAMAGES)(`names %s (one of ${DAMAGES.length} damages)`, (_, path, value, invariant, sentence) => {
    const [damaged] = set(1, path, value)([exported(clean())]);
    expect(verifyTranscript(damaged)).toContainEqual({
      line: 1,
      invariant,
      message: expect.stringMatching(sentence),
    });
  });

  it.each([[null], [7], [{}], [[]], [{ messages: 1n }]])('says that %s is none', (value) => {
    expect(verifyTranscript(value)).toEqual([expect.objectContaining({ line: 1, invariant: 0 })]);
  });
});
