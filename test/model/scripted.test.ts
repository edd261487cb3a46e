import { describe, expect, it } from 'vitest';
import { scripted } from '../../src/model/scripted.ts';
import type { Delta } from '../../src/ports.ts';
import { request } from './serve.ts';

const never = new AbortController().signal;

describe('the scripted model', () => {
  it('streams its text in pieces that make up the message', async () => {
    const deltas: Delta[] = [];
    const text = 'Grüße 🎉 an alle, die dies lesen';
    const reply = await scripted([{ say: text, call: [{ tool: 't', input: { a: 1 } }] }]).send(request, {
      signal: never,
      onDelta: (delta) => deltas.push(delta),
    });
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.flatMap((delta) => (delta.type === 'text.delta' ? [delta.text] : [])).join('')).toBe(text);
    expect(deltas.at(-1)).toEqual({ type: 'tool_input.delta', name: 't', json: '{"a":1}' });
    expect(reply).toMatchObject({
      kind: 'message',
      message: { model: request.model, stopReason: 'tool_use', content: [{ text }, { name: 't' }] },
    });
  });

  it('stops in the middle when the signal fires', async () => {
    const controller = new AbortController();
    const reply = await scripted([{ say: 'a long text, in pieces' }], { delayMs: 1 }).send(request, {
      signal: controller.signal,
      onDelta: () => controller.abort(),
    });
    expect(reply).toMatchObject({ kind: 'aborted', billing: 'partial' });
  });

  it('stops before it begins when the signal has fired', async () => {
    const reply = await scripted([{ stop_reason: 'end_turn' }]).send(request, {
      signal: AbortSignal.abort(),
      onDelta: () => undefined,
    });
    expect(reply).toEqual({ kind: 'aborted', usage: null, billing: 'none' });
  });

  it.each([
    [529, true],
    [429, true],
    [400, false],
  ])('fails with %i: can be retried is %s', async (status, isRetryable) => {
    const model = scripted([{ fail: { status, type: 'some_error', message: 'No' } }]);
    expect(await model.send(request, { signal: never, onDelta: () => undefined })).toMatchObject({
      kind: 'failed',
      isRetryable,
      failure: { status, errorType: 'some_error', message: 'No' },
    });
  });

  it('tells a fault of the script as one: no status, and no retry', async () => {
    const model = scripted([{ say: '{{last_result}}' }], { id: 'mine' });
    expect(await model.send(request, { signal: never, onDelta: () => undefined })).toMatchObject({
      kind: 'failed',
      isRetryable: false,
      failure: {
        status: null,
        errorType: null,
        message: expect.stringMatching(/^The script mine cannot go on/),
      },
    });
  });
});
