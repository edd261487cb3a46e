import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Inbox } from '../../src/inbox.ts';
import type { Fact } from '../../src/ports.ts';
import { isAsked, parseJournal } from '../../src/verify/lines.ts';
import { Rebuilt } from '../../src/verify/rebuilt.ts';
import { play, replies, text, toolUse } from '../support/world.ts';
import { runs } from '../properties/runs.ts';
import { randomWorld, worldOf } from '../properties/worlds.ts';
import { both, plain, set, type Lines } from './recorded.ts';
import type { WorldRow } from './usage-worlds.ts';
import { WORLDS } from './worlds.ts';

/** Says something while a paused turn is out, and while the turn that follows is. */
function interrupted() {
  const inbox = new Inbox();
  const says = (words: string, stopReason?: string) => async () => {
    inbox.put({ kind: 'interjection', text: words });
    await new Promise((resolve) => setImmediate(resolve));
    return replies(stopReason === undefined ? [toolUse('a')] : [text(words)], stopReason);
  };
  return play({ inbox, turns: [says('one', 'pause_turn'), says('two'), replies([text('So.')])] });
}

const MORE: readonly WorldRow[] = [
  [
    'says something blank beside a call',
    'end_turn',
    () =>
      play({
        turns: [replies([text(' \n'), text('x'), toolUse('a'), toolUse('b')]), replies([text('So.')])],
      }),
  ],
  [
    'has a tool without output',
    'end_turn',
    () =>
      play({
        turns: [replies([toolUse('a')]), replies([text('So.')])],
        box: { run: async () => ({ kind: 'succeeded', content: ' \n' }) },
      }),
  ],
  [
    'pauses twice',
    'end_turn',
    () =>
      play({
        turns: [replies([text('a')], 'pause_turn'), replies([text('b')], 'pause_turn'), replies([text('c')])],
      }),
  ],
  ['hears words behind a pause', 'end_turn', interrupted],
];

interface Said {
  readonly role: string;
  readonly content: readonly object[];
}

/** Messages of one role in a row are one, and whether a result is an error is not what pairs it. */
function asTurns(messages: readonly Said[]): readonly Said[] {
  const turns: Said[] = [];
  for (const { role, content } of messages) {
    const blocks = content.map((block) => ({ ...block, is_error: undefined }));
    const last = turns.at(-1);
    if (last?.role === role) turns.push({ role, content: [...(turns.pop()?.content ?? []), ...blocks] });
    else turns.push({ role, content: blocks });
  }
  return turns;
}

const isFailedSummary = (fact: Fact): boolean => fact.type === 'model.failed' && fact.request === 'summary';

/** The messages of each request, as they are rebuilt. */
function sentBy(lines: Lines): readonly (readonly Said[])[] {
  const { header, facts } = parseJournal(lines);
  const history = new Rebuilt(header?.task ?? '');
  return facts.flatMap((fact) => {
    const asked = isAsked(fact) ? [asTurns(history.asked(fact))] : [];
    history.add(fact);
    return asked;
  });
}

describe('the history that a verifier rebuilds', () => {
  it.each([...WORLDS, ...MORE])('is what was sent, in a run that %s: %s', async (_, end, run) => {
    const { lines, requests, result } = await run();
    expect(result.state === 'stopped' ? result.reason : result.state).toBe(end);
    const sent = sentBy(plain(lines));
    expect(sent).toEqual(requests.slice(0, sent.length).map(({ messages }) => asTurns(messages as Said[])));
  });

  it('is what was sent, block for block, in any run of any world', { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(randomWorld, async (random) => {
        const { lines, facts, requests } = await play(worldOf(random));
        const rebuilt = sentBy(plain(lines));
        const sent = requests.map(({ messages }) => asTurns(messages as Said[]));
        // What a summary that failed was told is in no fact.
        const known = facts.flatMap((fact) => ('heard' in fact ? [!isFailedSummary(fact)] : []));
        const isKnown = (_: unknown, index: number): boolean => known[index] ?? false;
        expect(rebuilt.filter(isKnown)).toEqual(sent.filter(isKnown));
      }),
      runs(100),
    );
  });

  it('has nothing behind a paused turn that goes on, whatever the facts say of words; the next request has them', async () => {
    const { lines, requests } = await interrupted();
    // 2, 4: the words. 3: the pause. 5: what follows it.
    const claimed = both(set(5, 'heard', 1), set(5, 'instruction', 'Sum up.'))(plain(lines));
    expect(sentBy(claimed)).toEqual(requests.map(({ messages }) => asTurns(messages as Said[])));
  });
});
