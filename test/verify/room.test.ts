import { describe, expect, it } from 'vitest';
import { parseJournal } from '../../src/verify/lines.ts';
import { roomViolations } from '../../src/verify/room.ts';
import { again } from '../resume/again.ts';
import { play, replies, text, toolUse, type World } from '../support/world.ts';
import { both, clean, insert, plain, set, SAID, type Damage, type Lines } from './recorded.ts';

const linesOf = async (turns: World['turns']) => (await play({ turns })).lines;
const run = async (world: World): Promise<Lines> => plain((await play(world)).lines);

const cut = replies([text('So')], 'max_tokens');
/** 2: cut off at 16,000 tokens. 3: cut off at 32,000. 4: the answer, of 64,000 at most. */
const grown = await run({ turns: [cut, cut, replies([text('So.')])] });
/** The same, within a budget. */
const paidFor = await run({
  turns: [cut, cut, replies([text('So.')])],
  limits: { budget: { tokens: 1_000_000, nanoUsd: null } },
});
/** 2: a pause. 3: the answer. */
const paused = await run({ turns: [replies([text('So')], 'pause_turn'), replies([text('So.')])] });

const answer = replies([text('So.')]);
const calls = replies([toolUse('a')]);
/** 2: cut off. 3: a pause. 4: a call. 7: the answer, of the next turn. */
const nextTurn = await run({ turns: [cut, replies([text('So')], 'pause_turn'), calls, answer] });
/** 2 to 4: cut off for good. 6: resumed. 7: the answer. */
const givenUp = plain(
  (await again(await linesOf([cut, cut, cut]), { turns: [answer] }, { message: 'Go on.' })).lines,
);
/** 2, 3: cut off. 4: resumed, its process had died. 5: the answer. */
const died = plain((await again((await linesOf([cut, cut, answer])).slice(0, 3), { turns: [answer] })).lines);
/** 2: a call. 5: the summary, told in 19 bytes. */
const summed = await run({ turns: [calls, answer], limits: { maxTurns: 2 } });

const long = (type: string, maxTokens: number, most: number) =>
  `${type} could be ${maxTokens} tokens long; ${most} were asked for at most.`;
const tooLong = (maxTokens: number, tokens: number, nanoUsd: number) =>
  `model.called_tools could be ${maxTokens} tokens long, and the budget has no room for that: it could come to ${tokens} tokens and ${nanoUsd} nano-dollars.`;

const budget = (tokens: number | null, nanoUsd: number | null): Damage =>
  set(1, 'limits.budget', { tokens, nanoUsd });
/** Only the first request has so much room; what follows is asked for little. */
const little = both(set(7, 'maxTokens', 1), set(10, 'maxTokens', 1), set(14, 'maxTokens', 1));

const ROWS: readonly (readonly [string, Lines, Damage, readonly (readonly [number, string])[]])[] = [
  ['the length that was asked for', clean(), (lines) => lines, []],
  ['a token more', clean(), set(2, 'maxTokens', 16_001), [[2, long('model.called_tools', 16_001, 16_000)]]],
  ['twice the length behind a response that was cut off', grown, (lines) => lines, []],
  [
    'a token more than four times the length',
    grown,
    set(4, 'maxTokens', 64_001),
    [[4, long('model.answered', 64_001, 64_000)]],
  ],
  [
    'the length at which the response was cut off',
    grown,
    set(4, 'maxTokens', 32_000),
    [[4, 'The response before was cut off at 32000 tokens, and this one could be no longer: 32000.']],
  ],
  ['a token more than where it was cut off', grown, set(4, 'maxTokens', 32_001), []],
  [
    'no more behind a response that was cut off, where a budget leaves no more',
    paidFor,
    set(4, 'maxTokens', 32_000),
    [],
  ],
  ['less behind a pause', paused, set(3, 'maxTokens', 1_024), []],
  ['more behind a pause, where the response before it was cut off', nextTurn, (lines) => lines, []],
  [
    'a token more than that',
    nextTurn,
    set(4, 'maxTokens', 32_001),
    [[4, long('model.called_tools', 32_001, 32_000)]],
  ],
  [
    'a token more in the next turn',
    nextTurn,
    set(7, 'maxTokens', 16_001),
    [[7, long('model.answered', 16_001, 16_000)]],
  ],
  [
    'a token more behind one that was cut off for good',
    givenUp,
    set(7, 'maxTokens', 16_001),
    [[7, long('model.answered', 16_001, 16_000)]],
  ],
  ['no more, where another process goes on', died, set(5, 'maxTokens', 16_000), []],
  [
    'all that a budget has left for a summary',
    summed,
    both(budget(16_378, null), set(2, 'maxTokens', 1)),
    [],
  ],
  [
    'a token more than it has left for a summary',
    summed,
    both(budget(16_377, null), set(2, 'maxTokens', 1)),
    [[5, tooLong(16_000, 16_378, 0).replace('model.called_tools', 'model.answered')]],
  ],
  ['all that a budget has left', clean(), both(budget(36_616, null), little), []],
  [
    'a token more than a budget has left',
    clean(),
    both(budget(36_615, null), little),
    [[2, tooLong(16_000, 36_616, 104_712_000)]],
  ],
  ['all the money that a budget has left', clean(), both(budget(null, 104_712_000), little), []],
  [
    'a nano-dollar more than a budget has left',
    clean(),
    both(budget(null, 104_711_999), little),
    [[2, tooLong(16_000, 36_616, 104_712_000)]],
  ],
  [
    'words that were said while the request was out, for which the budget has no room',
    clean(),
    both(budget(36_616, null), little, insert(2, SAID)),
    [],
  ],
  [
    'what no budget has room for, and that is named elsewhere',
    clean(),
    both(budget(6_663, null), little),
    [],
  ],
];

describe('the room of a response', () => {
  it.each(ROWS)('is looked at: it is %s', (_, lines, damage, expected) => {
    expect(roomViolations(parseJournal(damage(structuredClone(lines))))).toEqual(
      expected.map(([line, message]) => ({ line, invariant: 4, message })),
    );
  });

  it('is not looked at without a header', () => {
    expect(roomViolations(parseJournal(clean().slice(1)))).toEqual([]);
  });
});
