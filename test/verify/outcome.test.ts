import { describe, expect, it } from 'vitest';
import { foldViolations } from '../../src/verify/fold.ts';
import { parseJournal } from '../../src/verify/lines.ts';
import { outcomeViolations } from '../../src/verify/outcome.ts';
import { again } from '../resume/again.ts';
import { failure, play, replies, text } from '../support/world.ts';
import { both, clean, drop, insert, plain, set, type Damage, type Lines } from './recorded.ts';

const said = (lines: Lines): readonly string[] =>
  outcomeViolations(parseJournal(lines)).map(({ line, message }) => `${line}: ${message}`);

/** 16 resumes the answered run with words, 17 is another answer, 18 the end. */
const resumed = await again(
  clean() as Parameters<typeof again>[0],
  { turns: [replies([text('Nine.')])] },
  { message: 'And?' },
);
const pauses = await play({
  turns: [replies([text('One,')], 'pause_turn'), replies([text('two,')], 'pause_turn')],
  limits: { maxContinuations: 1 },
});
const failed = await play({ turns: [failure({ isRetryable: false })] });
const recovered = await play({ turns: [failure(), replies([text('Done.')])] });

describe('the answer of an outcome', () => {
  const answer = (words: string, from: string): Damage =>
    both(drop(17), set(17, 'result.answer', words), set(17, 'result.answerFrom', from));

  it('is of an earlier turn where nobody has answered the last words', () => {
    expect(said(answer('Done.', 'earlier_turn')(plain(resumed.lines)))).not.toContainEqual(
      expect.stringContaining('answer'),
    );
    expect(said(answer('Done.', 'closing_turn')(plain(resumed.lines)))).toContainEqual(
      '17: The answer is said to be from closing_turn; it is from earlier_turn.',
    );
  });

  it('is still of the last turn where a run is only resumed', () => {
    const silent = both(set(16, 'hasWords', false), set(16, 'words', []), answer('Done.', 'closing_turn'));
    expect(said(silent(plain(resumed.lines)))).not.toContainEqual(expect.stringContaining('answer'));
  });

  it('is all that stands before and behind a pause', () => {
    expect(said(set(4, 'result.answer', 'two,')(plain(pauses.lines)))).toEqual([
      '4: The answer is not what the model said.',
    ]);
  });
});

describe('the failure of an outcome', () => {
  it.each<{ what: string; lines: readonly unknown[]; damage: Damage; says: readonly string[] }>([
    {
      what: 'is told of a run that pauses too often',
      lines: pauses.lines,
      damage: (lines) => lines,
      says: [],
    },
    {
      what: 'is not told of it',
      lines: pauses.lines,
      damage: set(4, 'result.failure', null),
      says: ['4: The outcome does not say how the model failed.'],
    },
    { what: 'is told', lines: failed.lines, damage: (lines) => lines, says: [] },
    {
      what: 'is not told',
      lines: failed.lines,
      damage: set(3, 'result.failure', null),
      says: ['3: The failure of the outcome is not the one that stopped it.'],
    },
    {
      what: 'is one that the run got over',
      lines: recovered.lines,
      damage: (lines) =>
        set(lines.length, 'result.failure', Reflect.get(lines[1] as object, 'failure'))(lines),
      says: [
        expect.stringMatching(/^\d+: The failure of the outcome is not the one that stopped it\.$/) as string,
      ],
    },
  ])('$what', ({ lines, damage, says }) => {
    expect(said(damage(plain(lines)))).toEqual(says);
  });
});

describe('a run that is said to wait', () => {
  const waits = {
    type: 'run.ended',
    at: '1970-01-01T00:00:00.000Z',
    result: { state: 'waiting', runId: 'run1', callIds: [] },
  };

  it('does not, where a request is out', () => {
    const lines = insert(10, waits)(clean().slice(0, 9));
    expect(foldViolations(parseJournal(lines)).map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '10: The run waits, but there is no call that waits for a decision.',
    ]);
  });
});
