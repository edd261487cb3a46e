import { describe, expect, it } from 'vitest';
import { asReply } from '../../src/effects/model-replies.ts';
import type { ModelReply } from '../../src/ports.ts';
import { failure, play, replies, text } from '../support/world.ts';

const good = replies([text('Done.')]);
const failed = failure();
const aborted: ModelReply = { kind: 'aborted', usage: null, billing: 'none' };
const message = 'message' in good ? good.message : null;

describe('a reply', () => {
  it.each([good, failed, aborted, replies([{ type: 'new_block', x: [null] }], null, null)])(
    'is taken as it is: $kind',
    (reply) => {
      expect(asReply(reply)).toBe(reply);
    },
  );

  it.each<readonly [what: string, reply: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'Done.'],
    ['an object', {}],
    ['an unknown kind', { ...good, kind: 'fine' }],
    ['no message', { ...good, message: undefined }],
    ['content that is a text', { ...good, message: { ...message, content: 'Done.' } }],
    ['a block that is null', { ...good, message: { ...message, content: [null] } }],
    ['a block without a type', { ...good, message: { ...message, content: [{ text: 'x' }] } }],
    ['no malformed inputs', { ...good, malformedInputs: undefined }],
    ['usage that says nothing', { ...good, usage: {} }],
    ['usage of NaN', { ...good, usage: { input_tokens: NaN, output_tokens: 1 } }],
    ['usage below nothing', { ...good, usage: { input_tokens: -1, output_tokens: 1 } }],
    ['a failure without its usage', { ...failed, usage: undefined }],
    ['a failure without a text', { ...failed, failure: { ...Object(failed).failure, message: 7 } }],
    ['a failure that asks for a wait below nothing', failure({ retryAfterMs: -1 })],
    ['an abort without its bill', { kind: 'aborted' }],
  ])('is none: %s', async (_, reply) => {
    expect(() => asReply(reply)).toThrow(new TypeError('it gave back no reply'));
    const { result, facts } = await play({ turns: [() => reply as ModelReply] });
    expect(result).toMatchObject({
      reason: 'model_failed',
      failure: { message: 'The model broke: it gave back no reply' },
      isUsageIncomplete: true,
    });
    expect(facts).toHaveLength(1);
  });

  it.each([
    { what: 'half a character', block: text('\ud800') },
    { what: 'a number that JSON cannot say', block: { type: 'x', n: NaN } },
  ])('that holds $what could not go back: it failed, and was paid for', async ({ block }) => {
    for (const stopReason of ['end_turn', 'pause_turn']) {
      const { result } = await play({ turns: [replies([block], stopReason)] });
      expect(result).toMatchObject({
        failure: { errorType: 'protocol', message: expect.stringContaining('half a character') },
        usage: { inputTokens: 100 },
      });
    }
  });

  it('of a model that gave up by itself is a failure that passes, with what it had cost', async () => {
    const { result, story, facts } = await play({
      turns: [{ kind: 'aborted', usage: { input_tokens: 500, output_tokens: 0 }, billing: 'partial' }, good],
    });
    expect(story).toEqual(['model.failed', 'retry.due', 'model.answered']);
    expect(result).toMatchObject({ reason: 'end_turn', usage: { inputTokens: 600 } });
    expect(facts[0]).toMatchObject({
      reason: 'model_failed',
      failure: { status: null, message: expect.stringContaining('stopped its request') },
    });
  });
});
