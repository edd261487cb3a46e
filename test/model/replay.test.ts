import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstDifference } from '../../src/model/difference.ts';
import { replay } from '../../src/model/replay.ts';
import type { JournalHeader, JournalLine, ModelRequest, RecordedFact } from '../../src/ports.ts';

const nothing = { nanoUsd: 0, tokens: 0 };
const billed = {
  at: '2026-12-01T10:00:00.000Z',
  request: 'turn',
  cost: nothing,
  nextCost: nothing,
  summaryCost: nothing,
  usage: { input_tokens: 1, output_tokens: 2 },
  requestId: 'req_1',
  maxTokens: 1_000,
  durationMs: 5,
  heard: 0,
} as const;
const header: JournalHeader = {
  type: 'run.started',
  format: 1,
  runId: 'r',
  at: billed.at,
  task: 'Hello',
  system: '',
  model: 'claude-haiku-5-5',
  effort: null,
  maxTokens: 1_000,
  tools: [],
  workdir: null,
  limits: {
    maxTurns: 9,
    budget: { nanoUsd: null, tokens: null },
    maxRetries: 1,
    maxGrowths: 1,
    maxContinuations: 1,
    stuckAfter: 3,
  },
  onLimit: 'stop',
  timeoutMs: null,
  rules: [],
  texts: 'en',
  price: null,
  nextCost: nothing,
  summaryCost: nothing,
};
const message = {
  id: 'm1',
  model: 'm',
  content: [{ type: 'tool_use', id: 'A', name: 't', input: { INVALID_JSON: '{"a":' } }],
  stopReason: 'tool_use',
  stopSequence: null,
  stopDetails: null,
};
const facts: readonly RecordedFact[] = [
  {
    ...billed,
    type: 'model.failed',
    billing: 'none',
    usage: null,
    isRetryable: true,
    reason: 'model_failed',
    failure: { status: 529, errorType: 'overloaded_error', message: 'Overloaded', retryAfterMs: null },
    delayMs: 500,
  },
  { type: 'retry.due', at: billed.at },
  { ...billed, type: 'model.called_tools', billing: 'reported', message, instruction: null, calls: [] },
];
const lines: readonly JournalLine[] = [header, ...facts];

const requestAt = (index: number): ModelRequest => ({
  model: 'm',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: [{ type: 'text', text: `request of line ${index}` }] }],
});
const options = { signal: new AbortController().signal, onDelta: () => undefined };

describe('a replayed journal', () => {
  it('answers as it was answered, failures and malformed inputs included', async () => {
    const model = replay(lines, { requestOf: (_, index) => requestAt(index) });
    expect(await model.send(requestAt(1), options)).toEqual({
      kind: 'failed',
      failure: { status: 529, errorType: 'overloaded_error', message: 'Overloaded', retryAfterMs: null },
      isRetryable: true,
      reason: 'model_failed',
      usage: null,
      billing: 'none',
      requestId: 'req_1',
    });
    expect(await model.send(requestAt(3), options)).toEqual({
      kind: 'message',
      message,
      usage: billed.usage,
      requestId: 'req_1',
      malformedInputs: { A: '{"a":' },
    });
    expect(await model.send(requestAt(9), options)).toMatchObject({
      kind: 'failed',
      isRetryable: false,
      failure: { message: 'The journal holds 2 responses, this is request 3.' },
    });
  });

  it('fails at the first request that differs, and names the difference', async () => {
    const model = replay(lines, { requestOf: (_, index) => requestAt(index) });
    expect(await model.send(requestAt(7), options)).toMatchObject({
      kind: 'failed',
      isRetryable: false,
      failure: {
        message:
          'Request 1 differs from the recorded one at messages[0].content[0].text: ' +
          'it was "request of line 1", now it is "request of line 7".',
      },
    });
  });

  it('needs a header', () => {
    expect(() => replay(facts, { requestOf: () => requestAt(0) })).toThrow('The journal has no header.');
  });
});

describe('the first difference', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, null],
    [{ a: 1, b: undefined }, { a: 1 }, null],
    [{ a: 1 }, { a: 2 }, { path: 'a', before: 1, now: 2 }],
    [{ a: [1, { b: 'x' }] }, { a: [1, { b: 'y' }] }, { path: 'a[1].b', before: 'x', now: 'y' }],
    [{ a: [1] }, { a: [1, 2] }, { path: 'a[1]', before: undefined, now: 2 }],
    [{ a: 1 }, { a: 1, b: 2 }, { path: 'b', before: undefined, now: 2 }],
    [{ a: [] }, { a: {} }, { path: 'a', before: [], now: {} }],
    [null, {}, { path: '', before: null, now: {} }],
  ])('of %j and %j is %j', (before, now, expected) => {
    expect(firstDifference(before, now)).toEqual(expected);
  });

  it('is none between equal values, and is found behind any equal ones', () => {
    assert(
      property(jsonValue({ maxDepth: 3 }), (value) => {
        expect(firstDifference(value, structuredClone(value))).toBeNull();
        expect(firstDifference([value, 1], [structuredClone(value), 2])?.path).toBe('[1]');
      }),
    );
  });
});
