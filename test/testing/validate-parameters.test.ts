import { describe, expect, it } from 'vitest';
import { validateRequest } from '../../src/verify/api/index.ts';

const tools = [{ name: 't', description: 'd', input_schema: { type: 'object' } }];
const base = { max_tokens: 4_000, messages: [{ role: 'user', content: 'hi' }] };
const effort = (level: unknown) => ({ output_config: { effort: level } });
const thinks = (type: string, more: object = {}) => ({ thinking: { type, ...more } });
const enabled = (budget: unknown, more: object = {}) => ({
  ...thinks('enabled', { budget_tokens: budget }),
  ...more,
});
const choice = (type: string, more: object = {}) => ({ tools, tool_choice: { type, ...more } });

/** A model, what it is asked with, and what the API says of it; null: nothing. */
type Row = readonly [string, object, string | null];

const NO_BETWEEN = '"thinking.type.between_tools" is not supported for this model.';
const NO_DISABLED = '"thinking.type.disabled" is not supported for this model.';
const tooHard = (type: string) =>
  `"thinking.type.${type}" is not supported for this model at this effort level.`;
const NO_ENABLED =
  '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
const NO_ADAPTIVE = 'adaptive thinking is not supported on this model';
const LOW_BUDGET = 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
const HIGH_BUDGET = '`max_tokens` must be greater than `thinking.budget_tokens`.';

const THINKING: readonly Row[] = [
  ['claude-haiku-5-5', { thinking: null }, null],
  [
    'claude-haiku-5-5',
    { thinking: {} },
    "thinking: Input tag 'undefined' found using 'type' does not match any of the expected tags",
  ],
  ['claude-sonnet-5-5', thinks('between_tools'), null],
  ['claude-sonnet-5-5-20260901', thinks('between_tools'), null],
  ['claude-sonnet-5-5', { ...thinks('between_tools'), ...effort('high') }, null],
  ['claude-sonnet-5-5', { ...thinks('between_tools'), ...effort('xhigh') }, tooHard('between_tools')],
  ['claude-sonnet-5-5', { ...thinks('between_tools'), ...effort('max') }, tooHard('between_tools')],
  ['claude-sonnet-5-5', { ...thinks('adaptive'), ...effort('max') }, null],
  ['claude-opus-5-5', thinks('between_tools'), NO_BETWEEN],
  ['claude-sonnet-5', thinks('between_tools'), NO_BETWEEN],
  ['claude-opus-5', thinks('disabled'), null],
  ['claude-haiku-5-5', thinks('disabled'), null],
  ['claude-haiku-5-5', { ...thinks('disabled'), ...effort('high') }, null],
  ['claude-haiku-5-5', { ...thinks('disabled'), ...effort('max') }, tooHard('disabled')],
  ['claude-opus-5', { ...thinks('disabled'), ...effort('xhigh') }, tooHard('disabled')],
  ['claude-opus-4-8', { ...thinks('disabled'), ...effort('max') }, null],
  ['claude-opus-5', { ...thinks('adaptive'), ...effort('max') }, null],
  ['claude-opus-5-5', thinks('disabled'), NO_DISABLED],
  ['claude-opus-5-5-20261001', thinks('disabled'), NO_DISABLED],
  ['claude-sonnet-5-5', thinks('disabled'), NO_DISABLED],
  ['claude-fable-5', thinks('disabled'), NO_DISABLED],
  ['claude-mythos-5-1', thinks('disabled'), NO_DISABLED],
  ['claude-fable-5', thinks('adaptive'), null],
  ['claude-opus-4-7', enabled(2_000), NO_ENABLED],
  ['claude-opus-4-6', enabled(2_000), null],
  ['claude-opus-4-6', thinks('adaptive'), null],
  ['claude-opus-4-5', thinks('adaptive'), NO_ADAPTIVE],
  ['claude-3-7-sonnet', thinks('adaptive'), NO_ADAPTIVE],
  ['claude-opus-4-6', enabled(1_024), null],
  ['claude-opus-4-6', enabled(1_023), LOW_BUDGET],
  ['claude-opus-4-6', enabled('2000'), LOW_BUDGET],
  ['claude-opus-4-6', thinks('enabled'), LOW_BUDGET],
  ['claude-opus-4-6', enabled(3_999), null],
  ['claude-opus-4-6', enabled(4_000), HIGH_BUDGET],
];

const NOT_FORCED = 'tool_choice: type `tool` and `any` are not supported for this model';

const CHOICES: readonly Row[] = [
  ['claude-haiku-5-5', { tools, tool_choice: null }, null],
  ['claude-haiku-5-5', choice('auto'), null],
  ['claude-haiku-5-5', choice('none'), null],
  ['claude-haiku-5-5', choice('any'), null],
  ['claude-haiku-5-5', choice('tool', { name: 't' }), null],
  [
    'claude-haiku-5-5',
    choice('some'),
    "tool_choice: Input tag 'some' found using 'type' does not match any of the expected tags",
  ],
  ['claude-haiku-5-5', choice('tool', { name: 'u' }), "tool_choice: Tool 'u' not found in provided tools"],
  [
    'claude-haiku-5-5',
    { ...choice('tool', { name: 't' }), tools: [null] },
    "tool_choice: Tool 't' not found in provided tools",
  ],
  [
    'claude-haiku-5-5',
    { tool_choice: { type: 'auto' }, tools: [] },
    'tool_choice: tool_choice may only be specified while providing tools.',
  ],
  [
    'claude-opus-4-6',
    enabled(2_000, choice('any')),
    'Thinking may not be enabled when tool_choice forces tool use.',
  ],
  ['claude-opus-4-6', enabled(2_000, choice('auto')), null],
  ['claude-opus-4-6', { ...thinks('adaptive'), ...choice('any') }, null],
  ['claude-opus-5-5', choice('auto'), null],
  ['claude-opus-5-5', choice('any'), NOT_FORCED],
  ['claude-opus-5-5', choice('tool', { name: 't' }), NOT_FORCED],
  ['claude-sonnet-5-5', choice('any'), NOT_FORCED],
  ['claude-fable-5', choice('any'), NOT_FORCED],
  ['claude-mythos-5', choice('any'), NOT_FORCED],
];

const noLevel = (level: string, more = '') =>
  `This model does not support effort level ${level}. Supported levels: high, low, max, medium${more}.`;

const OUTPUT: readonly Row[] = [
  ['claude-opus-4-7', effort('xhigh'), null],
  ['claude-opus-4-7', effort(null), null],
  ['claude-opus-4-7', {}, null],
  ['claude-opus-4-6', effort('low'), null],
  ['claude-opus-4-6', effort('xhigh'), noLevel("'xhigh'")],
  ['claude-opus-4-7', effort('great'), noLevel("'great'", ', xhigh')],
  ['claude-opus-4-7', effort(5), noLevel('5', ', xhigh')],
  ['claude-opus-4-7', effort({ a: 'b' }), noLevel("{'a':'b'}", ', xhigh')],
  ['claude-opus-4-7', { output_format: {} }, 'output_format.schema: Field required'],
  ['claude-opus-4-7', { output_format: { schema: {} } }, null],
  ['claude-opus-4-7', { output_format: null }, null],
  ['claude-opus-4-7', { output_config: { format: {} } }, 'output_config.format.schema: Field required'],
  ['claude-opus-4-7', { output_config: { format: { schema: {} } } }, null],
  ['claude-opus-4-7', { output_config: { format: null } }, null],
];

const tooLong = (tokens: number, most: number, id: string) =>
  `max_tokens: ${tokens} > ${most}, which is the maximum allowed number of output tokens for ${id}`;
const asksFor = (tokens: number) => ({ max_tokens: tokens });

const LENGTHS: readonly Row[] = [
  ['claude-haiku-4-5', asksFor(64_000), null],
  ['claude-haiku-4-5', asksFor(64_001), tooLong(64_001, 64_000, 'claude-haiku-4-5')],
  ['claude-sonnet-4-6', asksFor(64_001), tooLong(64_001, 64_000, 'claude-sonnet-4-6')],
  ['claude-sonnet-4-6-20260201', asksFor(64_001), tooLong(64_001, 64_000, 'claude-sonnet-4-6-20260201')],
  ['claude-opus-4-6', asksFor(128_000), null],
  ['claude-opus-4-6', asksFor(128_001), tooLong(128_001, 128_000, 'claude-opus-4-6')],
  ['claude-opus-4-1', asksFor(1_000_000), null],
  ['own-model', asksFor(1_000_000), null],
];

const ROWS: readonly Row[] = [...THINKING, ...CHOICES, ...OUTPUT, ...LENGTHS];

describe('the validator', () => {
  it.each(ROWS)('says of %s with %j: %s', (model, changes, message) => {
    const refusal = validateRequest({ ...base, model, ...changes }, { version: '2026-10-21', models: 'any' });
    expect(refusal?.message ?? null).toBe(message);
  });
});
