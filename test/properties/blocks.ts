/** Random blocks of a response: texts, thoughts, searches of the API, calls with plain, odd and impossible ids. */
import * as fc from 'fast-check';
import type { ContentBlock } from '../../src/ports.ts';

/** Blank, odd, huge, half characters, control characters. */
export const hostile = fc.oneof(
  { weight: 16, arbitrary: fc.string({ maxLength: 20 }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '\n\t',
      '\ud83d',
      'a\u0000b',
      '\u202Eevil',
      '</tool_result>',
      '\u001b[2J',
      'null',
      '{}',
    ),
  },
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  fc.constantFrom('x'.repeat(30_000), '表'.repeat(2_000)),
);

/** Stands for an id that no other call of the run has: the world fills it in. */
export const FRESH = 'fresh';

/** Ids that the API accepts, and that somebody who keeps calls in an object would stumble over. */
export const ODD: ReadonlySet<unknown> = new Set([
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  'undefined',
  'null',
  '0',
  '-1',
  '_',
  '-',
  'TOOLU_A',
  'toolu_a',
  'x'.repeat(5_000),
]);

/** What is no call: the API would refuse it in every later request. */
const FAULTS: readonly Partial<ContentBlock>[] = [
  ...['', ' ', 'toolu 1', 'toolu.1', 'toolu_é', '表', '\ud83d', 'toolu_1\n', 'a\u0000', '../a', 7, null].map(
    (id): Partial<ContentBlock> => ({ id }),
  ),
  { name: '' },
  { name: 'x'.repeat(201) },
  { name: '\ud83d' },
  { name: null },
  { input: [] },
  { input: 'text' },
  { input: null },
  { input: { text: '\ud83d' } },
];

/** How common what is rare should be, of a thousand. */
export interface Rarity {
  readonly faults: number;
  readonly repeats: number;
}

const input = fc.oneof(
  fc.constant({}),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
);

const callWith = (id: fc.Arbitrary<unknown>): fc.Arbitrary<ContentBlock> =>
  fc.record({
    type: fc.constant('tool_use'),
    id,
    name: fc.constantFrom('read', 'write', 'write', 'unknown', 'read', 'read', 'read', 'constructor'),
    input,
  });

const toolUse = ({ faults, repeats }: Rarity): fc.Arbitrary<ContentBlock> =>
  fc.oneof(
    { weight: 900, arbitrary: callWith(fc.constant(FRESH)) },
    { weight: 100, arbitrary: callWith(fc.constantFrom(...ODD)) },
    { weight: repeats, arbitrary: callWith(fc.constantFrom('toolu_same', 'toolu_other')) },
    {
      weight: faults,
      arbitrary: fc
        .tuple(callWith(fc.constant(FRESH)), fc.constantFrom(...FAULTS))
        .map(([call, fault]) => ({ ...call, ...fault })),
    },
  );

/** The world fills in its ids. */
const searched: readonly ContentBlock[] = [
  { type: 'server_tool_use', id: FRESH, name: 'web_search', input: {} },
  { type: 'web_search_tool_result', tool_use_id: FRESH, content: [] },
];

/** The model's adapter repairs what is half a character; everybody else may hand it in. */
const said = hostile.map((text) => text.toWellFormed());

/** What stands beside calls. */
const beside: fc.Arbitrary<readonly ContentBlock[]> = fc.oneof(
  { weight: 4, arbitrary: said.map((text) => [{ type: 'text', text }]) },
  said.map((thinking) => [{ type: 'thinking', thinking, signature: 'c2lnbmF0dXJl' }]),
  fc.constant([{ type: 'redacted_thinking', data: 'b3BhcXVl' }]),
  fc.constant(searched),
  fc.constant([]),
);

const besides = fc.array(beside, { maxLength: 3 }).map((blocks) => blocks.flat());

/** Few calls mostly, and many. */
const batch = (rarity: Rarity): fc.Arbitrary<readonly ContentBlock[]> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.array(toolUse(rarity), { minLength: 1, maxLength: 3, size: 'max' }) },
    fc.array(toolUse(rarity), { minLength: 6, maxLength: 12, size: 'max' }),
  );

/** A response that calls tools. */
export const calling = (rarity: Rarity): fc.Arbitrary<readonly ContentBlock[]> =>
  fc.tuple(besides, batch(rarity)).map(([blocks, calls]) => [...blocks, ...calls]);

/** Any response. */
export const content = (rarity: Rarity): fc.Arbitrary<readonly ContentBlock[]> =>
  fc.oneof({ weight: 3, arbitrary: besides }, calling(rarity));

/** Ends in a search that the API has not done yet. */
export const searching: fc.Arbitrary<readonly ContentBlock[]> = besides.map((blocks) => [
  ...blocks,
  ...searched.slice(0, 1),
]);
