/**
 * What a failure means. Type and status decide whether to retry, never the wording; wording may only tell a history
 * that is too long from other bad requests.
 */
import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import type { ModelReply } from '../ports.ts';
import type { Fault } from './assemble.ts';
import { isObject, parseJson } from './json.ts';
import { retryAfterOf } from './retry-after.ts';

type FailedReply = Extract<ModelReply, { readonly kind: 'failed' }>;

/** A failed reply but for what it cost. */
export type Diagnosis = Omit<FailedReply, 'kind' | 'usage' | 'billing'>;

export interface Surroundings {
  /** Host and port of the base URL. */
  readonly host: string;
  readonly hasKey: boolean;
  readonly maxRetryAfterMs: number;
  /** Wall time, milliseconds since 1970. */
  readonly now: number;
}

/** An error that the SDK threw before there was a response to read. */
export function diagnoseError(error: unknown, around: Surroundings): Diagnosis {
  if (error instanceof APIError && typeof error.status === 'number') {
    const { status, headers, message } = error;
    return diagnoseStatus(status, headers ?? new Headers(), error.error ?? textOf(message, status), around);
  }
  if (error instanceof APIConnectionError) {
    return diagnosis({ message: `Could not reach ${around.host}: ${rootOf(error)}.`, isRetryable: true });
  }
  const hint = around.hasKey ? '' : ' Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.';
  const message = sentence(`The request could not be sent to ${around.host}: ${rootOf(error)}`) + hint;
  return diagnosis({ message, isRetryable: false });
}

/** A response whose status is no success. */
function diagnoseStatus(status: number, headers: Headers, body: unknown, around: Surroundings): Diagnosis {
  const { type, text, requestId } = readBody(body);
  const retryAfterMs = retryAfterOf(headers, around.now);
  const isTooLate = retryAfterMs !== null && retryAfterMs > around.maxRetryAfterMs;
  const said = `${around.host} answered ${status}${type === null ? '' : ` ${type}`}: ${text}`;
  const wait = isTooLate
    ? ` It asks to wait ${Math.ceil(retryAfterMs / 1_000)} s, which is too long to wait here.`
    : '';
  return {
    failure: {
      status,
      errorType: type,
      message: sentence(said) + (hints[status] ?? '') + wait,
      retryAfterMs,
    },
    isRetryable: !isTooLate && isRetryableStatus(status, headers.get('x-should-retry')),
    reason: isTooLong(status, type, text) ? 'context_window' : 'model_failed',
    requestId: headers.get('request-id') ?? requestId,
  };
}

/** An `error` event, or a stream that broke the rules. */
export function diagnoseFault(fault: Fault, host: string): Diagnosis {
  const { errorType, message, requestId } = fault;
  const said = errorType === null ? message : `${host} reported ${errorType}: ${message}`;
  return diagnosis({
    message: sentence(said),
    errorType,
    isRetryable: errorType === null || passingErrors.has(errorType),
    reason: isTooLong(null, errorType, message) ? 'context_window' : 'model_failed',
    requestId,
  });
}

/** A stream that ended, however that came about, before its message was whole. */
export const diagnoseBreak = (error: unknown, host: string): Diagnosis =>
  diagnosis({ message: `The stream from ${host} broke off: ${rootOf(error)}.`, isRetryable: true });

/** A stream that came whole, and cannot be read: nested too deep, say. */
export const diagnoseUnreadable = (error: unknown, host: string): Diagnosis =>
  diagnosis({ message: `The response of ${host} cannot be read: ${rootOf(error)}.`, isRetryable: false });

export const diagnoseSilence = (expired: string, host: string): Diagnosis =>
  diagnosis({ message: `${host} sent no ${expired}.`, isRetryable: true });

/** A 200 whose body is no event stream. */
export function diagnoseBody(contentType: string, body: string, host: string): Diagnosis {
  const { type, text, requestId } = readBody(parseJson(body) ?? body);
  if (type !== null) return diagnoseFault({ errorType: type, message: text, requestId }, host);
  const message = `${host} answered with ${contentType} where an event stream was due: ${text}`;
  return diagnosis({
    message: `${sentence(message)} Does the base URL lead to a server that speaks the Messages API, with streaming?`,
    isRetryable: false,
  });
}

const hints: Readonly<Record<number, string>> = {
  401: ' Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.',
  402: ' Check the billing settings of the account.',
  403: ' The key has no permission for this: check its workspace and the model.',
  404: ' Check the model id and the base URL.',
};

/** Error types that may be gone at the next attempt. */
const passingErrors = new Set(['overloaded_error', 'api_error', 'rate_limit_error', 'timeout_error']);

function isRetryableStatus(status: number, shouldRetry: string | null): boolean {
  if (shouldRetry === 'true' || shouldRetry === 'false') return shouldRetry === 'true';
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

function isTooLong(status: number | null, type: string | null, text: string): boolean {
  if (status === 413 || type === 'request_too_large') return true;
  const isBadRequest = status === 400 || (status === null && type === 'invalid_request_error');
  return (
    isBadRequest && /prompt is too long|input length and .?max_tokens.? exceed context limit/i.test(text)
  );
}

/** What a body says of its error: the API's form, others that are common, or a page of some proxy. */
function readBody(body: unknown): { type: string | null; text: string; requestId: string | null } {
  if (!isObject(body)) return { type: null, text: plain(body), requestId: null };
  const error = isObject(body['error']) ? body['error'] : body;
  const text = [error['message'], body['error'], body['detail']].find((said) => typeof said === 'string');
  return {
    type: error !== body && typeof error['type'] === 'string' ? error['type'] : null,
    text: plain(text ?? body),
    requestId: typeof body['request_id'] === 'string' ? body['request_id'] : null,
  };
}

/** What is read of a body, in characters; far more than the line that is made of it. */
const MAX_BODY = 8_000;

/** Text of an HTML page without its markup; other bodies as they are. */
function plain(body: unknown): string {
  // A page of markup alone would keep the patterns below busy for seconds.
  const text = startOf(typeof body === 'string' ? body : JSON.stringify(body));
  const isPage = /^\s*</.test(text);
  const words = isPage ? text.replaceAll(/<(script|style)\b.*?<\/\1\s*>|<[^<>]*>/gis, ' ') : text;
  return words.replaceAll(/\s+/g, ' ').trim() || (isPage ? '(an HTML page)' : '(an empty body)');
}

/** Ends at a blank, so that no secret is cut in two before it is masked. */
function startOf(body: string): string {
  if (body.length <= MAX_BODY) return body;
  const start = body.slice(0, MAX_BODY);
  return start.slice(0, Math.max(start.lastIndexOf(' '), start.lastIndexOf('\n'), 1));
}

/** The SDK puts the status before a body that is no JSON, or says that there was none. */
const textOf = (message: string, status: number): string =>
  message === `${status} status code (no body)` ? '' : message.replace(`${status} `, '');

/** The innermost cause: "fetch failed" and "terminated" say nothing. */
function rootOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return rootOf(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const text = error.message === '' ? code : error.message;
  const named = text.includes(code) ? text : `${text} (${code})`;
  return (code in explained ? `${named}, ${explained[code]}` : named).replace(/\.$/, '');
}

const explained: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
};

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

interface Verdict extends Partial<Omit<Diagnosis, 'failure' | 'isRetryable'>> {
  readonly message: string;
  readonly isRetryable: boolean;
  readonly errorType?: string | null;
}

const diagnosis = ({
  message,
  errorType = null,
  isRetryable,
  reason = 'model_failed',
  requestId = null,
}: Verdict): Diagnosis => ({
  failure: { status: null, errorType, message, retryAfterMs: null },
  isRetryable,
  reason,
  requestId,
});
