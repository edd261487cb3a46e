/** Worlds for each way in which the API says what a response used. */
import { play, replies, text, type Played } from '../support/world.ts';

/** What the run does, how it ends, and the run. */
export type WorldRow = readonly [string, string, () => Promise<Played>];

const PRICE = {
  input: 1,
  output: 5,
  cacheRead: 0.1,
  cacheWrite5m: 1.25,
  cacheWrite1h: 2,
  above: {
    promptTokens: 1_000,
    price: { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 },
  },
};

export const priced = { header: { price: PRICE } };

/** Usage with everything that has a price. */
const RICH = {
  input_tokens: 501,
  output_tokens: 33,
  cache_read_input_tokens: 77,
  cache_creation_input_tokens: 13,
  cache_creation: { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 7 },
  server_tool_use: { web_search_requests: 2 },
  inference_geo: 'us',
  service_tier: 'batch',
};

const KEPT = {
  input_tokens: 5,
  output_tokens: 3,
  cache_creation: { ephemeral_5m_input_tokens: 6, ephemeral_1h_input_tokens: 7 },
};

const SAMPLED = {
  input_tokens: 1,
  output_tokens: 1,
  iterations: [
    { type: 'message', input_tokens: 900, output_tokens: 40 },
    { type: 'compaction', input_tokens: 1_200, output_tokens: 7 },
  ],
};

export const USAGE_WORLDS: readonly WorldRow[] = [
  [
    'says nothing of its usage',
    'end_turn',
    () => play({ ...priced, turns: [replies([text('x')], 'end_turn', null)] }),
  ],
  [
    'says nothing of its usage, far below the threshold of its price',
    'end_turn',
    () =>
      play({
        header: { price: { ...PRICE, above: { ...PRICE.above, promptTokens: 100_000 } } },
        turns: [replies([text('x')], 'end_turn', null)],
      }),
  ],
  [
    'says what it wrote to the cache only by the time that it is kept',
    'end_turn',
    () => play({ ...priced, turns: [replies([text('x')], 'end_turn', KEPT)] }),
  ],
  [
    'has a rich usage',
    'end_turn',
    () => play({ ...priced, turns: [replies([text('x')], 'end_turn', RICH)] }),
  ],
  [
    'was sampled twice',
    'end_turn',
    () => play({ ...priced, turns: [replies([text('x')], 'end_turn', SAMPLED)] }),
  ],
];
