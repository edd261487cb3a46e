import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { retryAfterOf } from '../../src/model/retry-after.ts';
import { ask, failedOf } from './ask.ts';
import type { Answer } from './serve.ts';

const failing =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };
const apiError = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_9',
});

describe('status and header decide whether to retry', () => {
  it.each([
    [400, 'invalid_request_error', undefined, false],
    [401, 'authentication_error', undefined, false],
    [402, 'billing_error', undefined, false],
    [403, 'permission_error', undefined, false],
    [404, 'not_found_error', undefined, false],
    [408, 'timeout_error', undefined, true],
    [409, 'conflict_error', undefined, true],
    [413, 'request_too_large', undefined, false],
    [422, 'invalid_request_error', undefined, false],
    [429, 'rate_limit_error', undefined, true],
    [500, 'api_error', undefined, true],
    [503, 'api_error', undefined, true],
    [504, 'timeout_error', undefined, true],
    [529, 'overloaded_error', undefined, true],
    [400, 'invalid_request_error', 'true', true],
    [429, 'rate_limit_error', 'false', false],
    [500, 'api_error', 'false', false],
    [500, 'api_error', 'maybe', true],
  ])('%i %s with x-should-retry %s: %s', async (status, type, header, isRetryable) => {
    // The wording says the opposite, and must not count.
    const body = apiError(type, isRetryable ? 'never retry this' : 'overloaded, please retry');
    const { reply } = await ask(
      failing(status, body, header === undefined ? {} : { 'x-should-retry': header }),
    );
    expect(reply).toMatchObject({
      kind: 'failed',
      isRetryable,
      failure: { status, errorType: type },
      usage: null,
      billing: 'none',
      requestId: 'req_9',
    });
  });
});

describe('the wording may only pick the reason', () => {
  it.each([
    [400, 'prompt is too long: 3333404 tokens > 200000 maximum', 'context_window'],
    [400, 'input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000', 'context_window'],
    [400, 'messages: text content blocks must be non-empty', 'model_failed'],
    [413, 'Request exceeds the maximum size', 'context_window'],
    [429, 'prompt is too long', 'model_failed'],
  ])('%i "%s" is %s', async (status, message, reason) => {
    const { reply } = await ask(failing(status, apiError('invalid_request_error', message)));
    expect(failedOf(reply).reason).toBe(reason);
  });

  it('413 as an HTML page is context_window too', async () => {
    const { reply } = await ask(failing(413, '<html><h1>413 Request Entity Too Large</h1></html>'));
    expect(failedOf(reply)).toMatchObject({ reason: 'context_window', failure: { errorType: null } });
  });
});

describe('a failure is told to people', () => {
  it.each<[string, Answer, string]>([
    [
      'a bad key says what to check',
      failing(401, apiError('authentication_error', 'invalid x-api-key')),
      'HOST answered 401 authentication_error: invalid x-api-key. Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.',
    ],
    [
      'an unknown model too',
      failing(404, apiError('not_found_error', 'model: claude-9')),
      'HOST answered 404 not_found_error: model: claude-9. Check the model id and the base URL.',
    ],
    [
      'an HTML page is shown without its markup',
      failing(
        502,
        '<html><head><style>p { color: red }</style></head>\n<body><h1>502</h1>\n<p>Bad gateway.</p></body>',
      ),
      'HOST answered 502: 502 Bad gateway.',
    ],
    ['an empty body is said', failing(503, ''), 'HOST answered 503: (an empty body).'],
    [
      'other shapes of errors are read',
      failing(400, { detail: 'No such field' }),
      'HOST answered 400: No such field.',
    ],
    ['an error that is a string too', failing(400, { error: 'nope' }), 'HOST answered 400: nope.'],
    ['any other JSON is quoted', failing(400, [1]), 'HOST answered 400: [1].'],
    [
      'a 200 with HTML is no answer',
      failing(200, '<html>Log in</html>'),
      'HOST answered with text/html where an event stream was due: Log in. Does the base URL lead to a server that speaks the Messages API, with streaming?',
    ],
    [
      'a 200 with an error inside counts by its type',
      failing(200, apiError('overloaded_error', 'Overloaded')),
      'HOST reported overloaded_error: Overloaded.',
    ],
  ])('%s', async (_, answer, message) => {
    const { reply, url } = await ask(answer);
    expect(failedOf(reply).failure.message.replace(new URL(url).host, 'HOST')).toBe(message);
  });

  it.each([
    ['a message', { type: 'message', content: [] }, false],
    ['an overload', apiError('overloaded_error', 'Overloaded'), true],
  ])('a 200 with %s as plain JSON: can be retried is %s', async (_, body, isRetryable) => {
    const { reply } = await ask(failing(200, body));
    expect(failedOf(reply)).toMatchObject({ isRetryable, failure: { status: null } });
  });

  it('D14: secrets of the environment are masked by default', async () => {
    vi.stubEnv('TEST_DB_PASSWORD', 'in-the-environment');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { reply } = await ask(failing(500, apiError('api_error', 'bad password in-the-environment')));
    expect(failedOf(reply).failure.message).toMatch(/bad password \[redacted\]/);
  });

  it('D14: the key is masked, and what `redact` knows, also where the message is cut', async () => {
    const secret = `${'x'.repeat(570)} sk-test-0123456789 and hunter2`;
    const { reply } = await ask(failing(401, apiError('authentication_error', secret)), {
      redact: (text) => text.replaceAll('hunter2', '[password]'),
    });
    const { message } = failedOf(reply).failure;
    expect(message).not.toContain('sk-test');
    expect(message).not.toContain('hunter2');
    expect(message.length).toBeLessThanOrEqual(601);
  });
});

describe('G09: what the server asks to wait', () => {
  const now = Date.parse('2026-12-01T10:00:00Z');
  it.each([
    [{ 'retry-after': '3' }, 3_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Tue, 01 Dec 2026 10:00:03 GMT' }, 3_000],
    [{ 'retry-after': 'Tue, 01 Dec 2026 09:59:57 GMT' }, null],
    [{ 'retry-after-ms': '1500' }, 1_500],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-1' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': '1e3' }, null],
    [{ 'retry-after': '9'.repeat(400) }, Number.MAX_SAFE_INTEGER],
    [{}, null],
  ])('%j is %s ms', (headers, expected) => {
    expect(retryAfterOf(new Headers(headers), now)).toBe(expected);
  });

  it('reaches the reply', async () => {
    const { reply } = await ask(
      failing(429, apiError('rate_limit_error', 'Slow down'), { 'retry-after': '3' }),
    );
    expect(failedOf(reply)).toMatchObject({ isRetryable: true, failure: { retryAfterMs: 3_000 } });
  });
});

describe('G10: a wait that is too long', () => {
  it.each([
    ['1382400', {}, false],
    ['61', {}, false],
    ['60', {}, true],
    ['1382400', { maxRetryAfterMs: Number.MAX_SAFE_INTEGER }, true],
    ['3', { maxRetryAfterMs: 2_000 }, false],
  ])('%s s with %j: can be retried is %s', async (seconds, options, isRetryable) => {
    const headers = { 'retry-after': seconds, 'x-should-retry': 'true' };
    const { reply } = await ask(failing(429, apiError('rate_limit_error', 'Quota'), headers), options);
    const { failure, ...rest } = failedOf(reply);
    expect(rest.isRetryable).toBe(isRetryable);
    expect(failure.message.includes(`It asks to wait ${seconds} s`)).toBe(!isRetryable);
  });
});
