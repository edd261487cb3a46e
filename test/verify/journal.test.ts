import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyJournal, type Violation } from '../../src/verify/index.ts';
import { agentLoop } from '../../machines/index.ts';
import { newReach, sizeOf } from '../properties/reach.ts';
import { runs } from '../properties/runs.ts';
import { randomWorld, worldOf } from '../properties/worlds.ts';
import { play, replies, text, toolUse } from '../support/world.ts';
import { DAMAGES } from './damages/index.ts';
import { both, clean, drop, insertBlock, replaceText, plain, set, type Damage } from './recorded.ts';
import { WORLDS } from './worlds.ts';

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
const deepest = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 1);
const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

const TOO_DEEP = 'This is nested more than 500 levels deep: it is no line of a journal.';
const NOT_JSON = 'This is not JSON: it is no line of a journal.';
const NO_LINE = 'This is no line of a journal.';

const HOSTILE: readonly (readonly [string, unknown, string])[] = [
  ['a value nested 501 levels deep', { type: 'x', x: deep(500) }, TOO_DEEP],
  ['a value nested 500 levels deep', { type: 'x', x: deep(499) }, 'No line of a journal is called "x".'],
  ['a value nested without end', { type: 'run.started', x: deepest }, TOO_DEEP],
  ['a value that holds itself', cyclic, NOT_JSON],
  ['a number that JSON has not', { type: 'tool.started', at: '', callId: '', x: 1n }, NOT_JSON],
  ['a type that cannot be read', { type: { toString: 1 } }, NO_LINE],
  ['a type of every object', { type: 'constructor' }, 'No line of a journal is called "constructor".'],
  [
    'a value that throws',
    {
      toJSON: () => {
        throw new Error('no');
      },
    },
    NOT_JSON,
  ],
  ['a function', () => 1, NOT_JSON],
  ['null', null, NO_LINE],
  ['a list', [], NO_LINE],
  [
    'an end of nothing',
    { type: 'run.ended' },
    'This is no run.ended: Invalid input: expected string, received undefined (at).',
  ],
  [
    'a resumption that says nothing',
    { type: 'run.resumed', at: '' },
    'This is no run.resumed: Invalid input: expected object, received undefined (usage).',
  ],
];

/** Not as they were recorded, and right all the same. */
const FINE: readonly (readonly [string, Damage])[] = [
  ['a rule that allows', set(1, 'rules', [{ tool: 'read', verdict: 'allow' }])],
  ['a rule that denies another tool', set(1, 'rules', [{ tool: 'x', verdict: 'deny' }])],
  ['other spaces in the answer', set(15, 'result.answer', '\n Do ne. ')],
  ['a block that nobody knows', set(2, 'message.content.1', { type: 'constructor' })],
  ['a blank block of the model', insertBlock(2, 1, { type: 'text', text: ' ' })],
  [
    'a stop sequence',
    both(set(14, 'message.stopReason', 'stop_sequence'), set(15, 'result.stopReason', 'stop_sequence')),
  ],
  ['a block that nobody knows, with words', insertBlock(14, 0, { type: 'new', text: 'No.' })],
  ['bounds that are higher', set(7, 'nextCost', { nanoUsd: 2e9, tokens: 1e6 })],
  ['a half character in what is not sent', set(8, 'reason', '\ud800')],
  ['words that nobody has read', set(15, 'result.unread', ['And?'])],
  ['no output of a tool', set(5, 'outcome.content', ' ')],
  ['no system text', set(1, 'system', ' ')],
];

const asText = ({ line, invariant, message }: Violation): string => `${line} (${invariant}) ${message}`;

const usd = fc.double({ min: 0, max: 20, noNaN: true });
const card = fc.record({ input: usd, output: usd, cacheRead: usd, cacheWrite5m: usd, cacheWrite1h: usd });
const price = fc.option(card);
/** In nano-dollars: little, or more than any run can cost. */
const most = fc.oneof(fc.nat(2e8), fc.integer({ min: 1e12, max: 1e13 }));

describe('verifyJournal', () => {
  it('finds nothing in what a run has recorded', () => {
    expect(verifyJournal(clean())).toEqual([]);
  });

  it.each(DAMAGES)(`names %s (one of ${DAMAGES.length} damages)`, (_, damage, line, invariant, sentence) => {
    expect(verifyJournal(damage(clean()))).toContainEqual({
      line,
      invariant,
      message: expect.stringMatching(sentence),
    });
  });

  it('says of each damage what damages.txt holds, and no more', async () => {
    const said = DAMAGES.map(([what, damage]) =>
      [`# ${what}`, ...verifyJournal(damage(clean())).map(asText), ''].join('\n'),
    );
    await expect(said.join('\n')).toMatchFileSnapshot('damages.txt');
  });

  it('finds nothing in any run of any world', { timeout: 3_600_000 }, async () => {
    const reach = newReach();
    await fc.assert(
      fc.asyncProperty(randomWorld, price, most, async (random, priced, nanoUsd) => {
        const world = worldOf(random);
        const budget = { tokens: random.limits.budget.tokens, nanoUsd: priced === null ? null : nanoUsd };
        const { lines } = await play({
          ...world,
          limits: { ...random.limits, budget },
          header: { ...world.header, price: priced },
        });
        reach.note(...sizeOf(lines));
        expect(verifyJournal(plain(lines))).toEqual([]);
      }),
      runs(100),
    );
    reach.expectFar();
  });

  it('finds only that the end is missing where a process died behind a pause: the paused turn can go back', async () => {
    const { lines } = await play({
      turns: [replies([text('So far')], 'pause_turn'), replies([text('So.')])],
    });
    const died = lines.slice(0, lines.findIndex(({ type }) => type === 'model.paused') + 1);
    expect(verifyJournal(plain(died)).map(({ message }) => message)).toEqual([
      'The run has no end: its process died, or is still at work.',
    ]);
  });

  it('finds nothing in a run that is stopped behind a pause without text', async () => {
    const use = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const { lines } = await play({
      turns: [
        replies([text('Reading.'), toolUse('a')]),
        replies([use], 'pause_turn', { input_tokens: 90_000, output_tokens: 9 }),
      ],
      limits: { budget: { nanoUsd: null, tokens: 50_000 } },
    });
    expect(verifyJournal(lines)).toEqual([]);
  });

  it.each(WORLDS)('finds nothing in a run that %s: %s', async (_, end, run) => {
    const { lines, result } = await run();
    expect(result.state === 'stopped' ? result.reason : result.state).toBe(end);
    expect(verifyJournal(plain(lines))).toEqual([]);
    expect(verifyJournal(lines)).toEqual([]);
  });

  it('knows a run for every stop reason', () => {
    const finals = Object.values(agentLoop.config.states ?? {}).flatMap(({ type, output }) =>
      type === 'final' ? [Reflect.get(output as object, 'reason')] : [],
    );
    expect(finals).toHaveLength(10);
    expect(new Set(WORLDS.map(([, end]) => end))).toEqual(new Set([...finals, 'waiting']));
  });

  it.each(HOSTILE)('says that %s is no line', (_, line, message) => {
    expect(verifyJournal([line])).toEqual([{ line: 1, invariant: 0, message }]);
  });

  it.each(FINE)('finds nothing in a run with %s', (_, change) => {
    expect(verifyJournal(change(clean()))).toEqual([]);
  });

  it.each(HOSTILE)('takes a call with %s as its input as it is', (_, input) => {
    const lines = set(7, 'message.content.0.input', input)(clean());
    expect(verifyJournal(lines).filter(({ line }) => line === 7).length).toBeGreaterThan(0);
  });

  it('cuts what it quotes: an id may have no end', () => {
    const lines = replaceText('"a"', `"${'x'.repeat(100_000)}"`)(drop(5)(clean()));
    const messages = verifyJournal(lines).map(({ message }) => message);
    expect(messages.length).toBeGreaterThan(0);
    expect(Math.max(...messages.map(({ length }) => length))).toBeLessThan(500);
  });

  it('never throws, whatever the lines are', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.record({
              type: fc.constantFrom('run.started', 'tool.finished', 'model.answered', 'run.ended'),
            }),
          ),
        ),
        (lines) => {
          expect(verifyJournal(lines).length).toBeGreaterThan(0);
        },
      ),
      runs(300),
    );
    expect(verifyJournal([])).toEqual([expect.objectContaining({ invariant: 6 })]);
  });
});
