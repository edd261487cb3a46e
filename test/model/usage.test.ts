import { describe, expect, it } from 'vitest';
import { ask } from './ask.ts';
import { sse, start, streaming } from './serve.ts';

const deltas = (...usages: readonly unknown[]) =>
  usages.map((usage) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }));

describe('usage', () => {
  const full = { input_tokens: 25, output_tokens: 1, cache_read_input_tokens: 7, cache_creation: null };
  it.each([
    [
      'C05: later counts replace earlier ones',
      full,
      [{ output_tokens: 40 }, { output_tokens: 89 }],
      { ...full, output_tokens: 89 },
    ],
    [
      'C05: repeated counts are not added',
      full,
      [{ ...full, output_tokens: 89 }],
      { ...full, output_tokens: 89 },
    ],
    [
      'C05: null and absent mean unchanged',
      full,
      [{ input_tokens: null, output_tokens: 2 }],
      { ...full, output_tokens: 2 },
    ],
    [
      'C05: input may grow',
      full,
      [{ input_tokens: 99, output_tokens: 2 }],
      { ...full, input_tokens: 99, output_tokens: 2 },
    ],
    ['C20: none at all is null', undefined, [undefined], null],
    ['C20: null is null', null, [null], null],
    ['C20: without input tokens it is null', undefined, [{ output_tokens: 9 }], null],
    ['C20: counts that are no numbers are null', { input_tokens: '25', output_tokens: 1 }, [undefined], null],
    [
      'C20: cache counts that are no numbers are null',
      { ...full, cache_read_input_tokens: 'x' },
      [undefined],
      null,
    ],
    [
      'unknown fields are kept',
      { ...full, service_tier: 'standard' },
      [undefined],
      { ...full, service_tier: 'standard' },
    ],
  ])('%s', async (_, first, later, expected) => {
    const { reply } = await ask(
      streaming(sse(start({ usage: first }), ...deltas(...later), { type: 'message_stop' })),
    );
    expect(reply).toMatchObject({ kind: 'message', usage: expected });
  });
});
