/** A recorded run as a model: it answers as it was answered then, as long as it is asked the same. */
import type { Fact, FactOf, JournalHeader, JournalLine, Model, ModelReply, ModelRequest } from '../ports.ts';
import { firstDifference } from './difference.ts';
import { isObject } from './json.ts';
import { limitsOf } from './known-models.ts';

export interface ReplayOptions {
  /** The request that the recorded model fact at `lines[index]` answered. */
  readonly requestOf: (lines: readonly JournalLine[], index: number) => ModelRequest;
  /** Default: what is known of the recorded model. They decide how far `max_tokens` may grow. */
  readonly limits?: Model['limits'];
}

/**
 * Answers the n-th request with the n-th recorded response, failures included. The first request that differs from the
 * recorded one fails, and says where; so does a request behind the last one.
 * @throws {TypeError} when the lines have no header
 */
export function replay(lines: readonly JournalLine[], { requestOf, limits }: ReplayOptions): Model {
  const header = lines.find((line): line is JournalHeader => line.type === 'run.started');
  if (header === undefined) throw new TypeError('The journal has no header.');
  const answers = lines.flatMap((line, index) => (isModelFact(line) ? [{ fact: line, index }] : []));
  let asked = 0;
  return {
    id: header.model,
    limits: limits ?? limitsOf(header.model),
    price: header.price,
    send(request, { signal }) {
      if (signal.aborted) return Promise.resolve({ kind: 'aborted', usage: null, billing: 'none' });
      const answer = answers[asked];
      asked += 1;
      if (answer === undefined)
        return Promise.resolve(
          failed(`The journal holds ${answers.length} responses, this is request ${asked}.`),
        );
      const difference = firstDifference(requestOf(lines, answer.index), request);
      if (difference === null) return Promise.resolve(replyOf(answer.fact));
      const { path, before, now } = difference;
      return Promise.resolve(
        failed(
          `Request ${asked} differs from the recorded one at ${path}: it was ${short(before)}, now it is ${short(now)}.`,
        ),
      );
    },
  };
}

type ModelFact = Extract<Fact, { readonly type: `model.${string}` }>;

const isModelFact = (line: JournalLine): line is ModelFact & JournalLine => line.type.startsWith('model.');

function replyOf(fact: ModelFact): ModelReply {
  if (fact.type === 'model.failed') return failureOf(fact);
  const { message, usage, requestId } = fact;
  return { kind: 'message', message, usage, requestId, malformedInputs: malformedIn(message.content) };
}

/** A response that broke the protocol was reported in full; as a failed reply it can only be partial. */
const failureOf = ({
  failure,
  isRetryable,
  reason,
  usage,
  billing,
  requestId,
}: FactOf<'model.failed'>): ModelReply => ({
  kind: 'failed',
  failure,
  isRetryable,
  reason,
  usage,
  billing: billing === 'reported' ? 'partial' : billing,
  requestId,
});

/** Malformed inputs are not recorded apart: their blocks say it. */
const malformedIn = (
  content: readonly { readonly [field: string]: unknown }[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    content.flatMap(({ id, input }) => {
      const raw = isObject(input) && Object.keys(input).length === 1 ? input['INVALID_JSON'] : undefined;
      return typeof id === 'string' && typeof raw === 'string' ? [[id, raw]] : [];
    }),
  );

const failed = (message: string): ModelReply => ({
  kind: 'failed',
  failure: { status: null, errorType: null, message, retryAfterMs: null },
  isRetryable: false,
  reason: 'model_failed',
  usage: null,
  billing: 'none',
  requestId: null,
});

/** A value as JSON, its middle left out. */
function short(value: unknown): string {
  const json = value === undefined ? 'absent' : JSON.stringify(value);
  return json.length > 80 ? `${json.slice(0, 40)}…${json.slice(-40)}`.toWellFormed() : json;
}
