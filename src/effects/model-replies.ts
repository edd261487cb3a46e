/** What a model gave back, looked at: a host's model may give back anything, and nothing of that may end the run. */
import { z } from 'zod';
import type { ModelReply } from '../ports.ts';
import { reasonOf } from './broken-ports.ts';

const count = z.int().nonnegative();
const usage = z
  .looseObject({
    input_tokens: count,
    output_tokens: count,
    cache_read_input_tokens: count.nullish(),
    cache_creation_input_tokens: count.nullish(),
  })
  .nullable();
const message = z.looseObject({
  id: z.string(),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stopReason: z.string().nullable(),
});
const billing = z.enum(['partial', 'unknown', 'none']);
const requestId = z.string().nullable();

const replySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    message,
    usage,
    requestId,
    malformedInputs: z.record(z.string(), z.string()),
  }),
  z.object({
    kind: z.literal('failed'),
    failure: z.object({
      status: z.number().nullable(),
      errorType: z.string().nullable(),
      message: z.string(),
      retryAfterMs: z.number().nonnegative().nullable(),
    }),
    isRetryable: z.boolean(),
    reason: z.enum(['model_failed', 'context_window']),
    usage,
    billing,
    requestId,
  }),
  z.object({ kind: z.literal('aborted'), usage, billing }),
]);

/** @throws {TypeError} when it is no reply */
export function asReply(reply: unknown): ModelReply {
  if (isReply(reply)) return reply;
  throw new TypeError('it gave back no reply');
}

const isReply = (value: unknown): value is ModelReply => replySchema.safeParse(value).success;

/** A model does not throw. One that does has failed, and what it may have cost is not known. */
export const brokenReply = (error: unknown): ModelReply => ({
  kind: 'failed',
  failure: {
    status: null,
    errorType: null,
    message: `The model broke: ${reasonOf(error)}`,
    retryAfterMs: null,
  },
  isRetryable: false,
  reason: 'model_failed',
  usage: null,
  billing: 'unknown',
  requestId: null,
});

/** A model that gave up by itself, by a time limit of its own say: like a request that timed out. */
export const gaveUp = ({ usage: used, billing: billed }: Aborted): ModelReply => ({
  kind: 'failed',
  failure: {
    status: null,
    errorType: null,
    message: 'The model stopped its request, though the run had not been stopped.',
    retryAfterMs: null,
  },
  isRetryable: true,
  reason: 'model_failed',
  usage: used,
  billing: billed,
  requestId: null,
});

type Aborted = Extract<ModelReply, { kind: 'aborted' }>;
