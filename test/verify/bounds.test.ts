import { describe, expect, it } from 'vitest';
import { Inbox } from '../../src/inbox.ts';
import { boundViolations } from '../../src/verify/bounds.ts';
import { parseJournal } from '../../src/verify/lines.ts';
import { play, replies, text, type Turn, type World } from '../support/world.ts';
import { both, clean, plain, set, type Damage, type Lines } from './recorded.ts';

const PRICE = { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
const usage = (changes: object) => ({ input_tokens: 100, output_tokens: 10, ...changes });

const answered = (turn: Turn, more: Partial<World> = {}) => run({ turns: [turn], ...more });

async function run(world: World): Promise<Lines> {
  const { lines } = await play({ header: { price: PRICE }, ...world });
  return plain(lines);
}

/** Says `é?` while each of two requests is out. 2, 4: the words. 3, 5: the answers. */
function interrupted(): Promise<Lines> {
  const inbox = new Inbox();
  const says = (words: string) => async () => {
    inbox.put({ kind: 'interjection', text: 'é?' });
    await new Promise((resolve) => setImmediate(resolve));
    return replies([text(words)]);
  };
  return run({ inbox, limits: { maxTurns: 2 }, turns: [says('3'), says('2')] });
}

/** What it is that has been said, the journal, a line, and the most tokens that the next prompt can have. */
const ROWS: readonly (readonly [string, () => Lines | Promise<Lines>, number, number])[] = [
  ['system, tools and task', clean, 1, 15 + 143 + 1_024 + 6 + 64],
  ['what the API has counted', clean, 2, 110 + 64],
  ['a result', clean, 5, 174 + 11 + 64],
  ['two results', clean, 6, 174 + 2 * (11 + 64)],
  [
    'what the API has counted of a cache',
    () =>
      answered(
        replies(
          [text('x')],
          'end_turn',
          usage({ cache_read_input_tokens: 1_000, cache_creation_input_tokens: 200 }),
        ),
      ),
    2,
    1_310 + 64,
  ],
  [
    'what the API has counted without a cache',
    () => answered(replies([text('x')], 'end_turn', usage({ cache_read_input_tokens: null }))),
    2,
    110 + 64,
  ],
  [
    'an answer that nobody counted',
    () => answered(replies([text('x')], 'end_turn', null)),
    2,
    1_252 + 28 + 64,
  ],
  [
    'an answer that was not billed, whatever was counted',
    async () =>
      both(
        set(2, 'usage', usage({})),
        set(2, 'billing', 'none'),
      )(await answered(replies([text('x')], 'end_turn', null))),
    2,
    1_252 + 28 + 64,
  ],
  ['a refusal, which is not kept', () => answered(replies([text('x')], 'refusal')), 2, 1_252],
  [
    'a last answer that was cut off',
    () => answered(replies([text('x')], 'max_tokens'), { limits: { maxGrowths: 0 } }),
    2,
    1_252,
  ],
  ['words of the user', interrupted, 2, 1_252 + 3 + 64],
  ['words that the answer has not heard', interrupted, 3, 174 + 3 + 64],
  ['more words that the answer has not heard', interrupted, 4, 174 + 2 * (3 + 64)],
  ['words of which the answer has heard the first', interrupted, 5, 174 + 3 + 64],
];

const said = (lines: Lines) => boundViolations(parseJournal(lines));
const asText = ({ tokens, nanoUsd }: Amount) => `${tokens} tokens and ${nanoUsd} nano-dollars`;

interface Amount {
  readonly tokens: number;
  readonly nanoUsd: number;
}

/** Takes one from what a line says of a bound. */
const lower =
  (line: number, kind: 'next' | 'summary', unit: keyof Amount): Damage =>
  (lines) => {
    const fact = lines[line - 1] as Record<string, Record<string, Amount>>;
    const path = fact['promptCost'] === undefined ? `${kind}Cost` : `promptCost.${kind}`;
    const amount = path.split('.').reduce<unknown>((of, name) => Reflect.get(of as object, name), fact);
    return set(line, `${path}.${unit}`, (amount as Amount)[unit] - 1)(lines);
  };

const less = (amount: Amount, unit: keyof Amount): Amount => ({ ...amount, [unit]: amount[unit] - 1 });

describe('the bounds of a journal', () => {
  it.each(ROWS)('count %s', async (_, journal, line, prompt) => {
    const summary = { tokens: prompt + 2_048, nanoUsd: 1_000 * prompt + 6_144_000 };
    const next = { tokens: 2 * prompt + 4_160, nanoUsd: 2_000 * prompt + 12_352_000 };
    const lines = await journal();
    expect(said(structuredClone(lines))).toEqual([]);
    for (const unit of ['tokens', 'nanoUsd'] as const) {
      expect(said(lower(line, 'summary', unit)(structuredClone(lines)))).toEqual([
        {
          line,
          invariant: 4,
          message: `A summary could take ${asText(summary)} now; the journal says ${asText(less(summary, unit))}.`,
        },
      ]);
      expect(said(lower(line, 'next', unit)(structuredClone(lines)))).toEqual([
        {
          line,
          invariant: 4,
          message: `Another turn and its summary could take ${asText(next)} now; the journal says ${asText(less(next, unit))}.`,
        },
      ]);
    }
  });

  it('are named where the first of them is too low', () => {
    const lines = both(lower(7, 'next', 'tokens'), lower(2, 'next', 'tokens'))(clean());
    expect(said(lines)).toEqual([expect.objectContaining({ line: 2 })]);
  });
});
