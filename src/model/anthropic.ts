/** The model over HTTP: the Messages API through the SDK, always streaming, one attempt a call. */
import { Console } from 'node:console';
import { Anthropic } from '@anthropic-ai/sdk';
import type { Model, ModelReply, ModelRequest, Price } from '../ports.ts';
import { createRedactor, secretsOf } from '../text/redact.ts';
import { emptyAssembly, finish, type Assembly } from './assemble.ts';
import {
  diagnoseBody,
  diagnoseBreak,
  diagnoseError,
  diagnoseFault,
  diagnoseSilence,
  diagnoseUnreadable,
  type Diagnosis,
} from './failures.ts';
import { limitsOf } from './known-models.ts';
import { tellSafely } from './observe.ts';
import { isEventStream, readAssemblies, readStart } from './read-stream.ts';
import { usageOf } from './usage.ts';
import { Watch } from './watch.ts';

export interface AnthropicOptions {
  /** Default: as the SDK finds it (ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, a profile). Give at most one of the two. */
  readonly apiKey?: string;
  readonly authToken?: string;
  /** Default: ANTHROPIC_BASE_URL, else the public API. */
  readonly baseURL?: string;
  /** Longest wait for the response headers, in milliseconds. Default 600,000. */
  readonly headersTimeoutMs?: number;
  /** Longest wait from one content event to the next, in milliseconds; pings do not count. Default 60,000. */
  readonly idleTimeoutMs?: number;
  /** The same inside a thinking block: where thinking is not shown, nothing may come for minutes. Default 600,000. */
  readonly thinkingTimeoutMs?: number;
  /** A server that asks to wait longer, in milliseconds, is not asked again. Default 60,000. */
  readonly maxRetryAfterMs?: number;
  /** Default: what is known of the model; 64,000 and 200,000 tokens where nothing is. */
  readonly maxTokens?: number;
  readonly contextWindow?: number;
  /** Default: null, not known. */
  readonly price?: Price | null;
  /**
   * Masks secrets in the messages of failures. The key itself is always masked. Default: secrets of the environment,
   * `createRedactor(secretsOf(process.env))`.
   */
  readonly redact?: (text: string) => string;
  /** Takes what the SDK logs, and errors of observers. Default: stderr. */
  readonly logger?: Pick<Console, 'error' | 'warn' | 'info' | 'debug'>;
}

/**
 * A model of the Messages API.
 * @throws {TypeError} when both `apiKey` and `authToken` are given, or the base URL is none
 */
export function anthropic(modelId: string, options: AnthropicOptions = {}): Model {
  const logger = options.logger ?? new Console(process.stderr);
  const client = createClient(options, logger);
  const limits = limitsOf(modelId);
  return {
    id: modelId,
    limits: {
      maxTokens: options.maxTokens ?? limits.maxTokens,
      contextWindow: options.contextWindow ?? limits.contextWindow,
    },
    price: options.price ?? null,
    send: (request, { signal, onDelta }) =>
      send(
        client,
        options,
        request,
        signal,
        tellSafely(onDelta, (text) => logger.error(text)),
      ),
  };
}

function createClient(options: AnthropicOptions, logger: NonNullable<AnthropicOptions['logger']>): Anthropic {
  const { apiKey, authToken, baseURL } = options;
  const client = new Anthropic({
    ...(apiKey !== undefined && { apiKey }),
    ...(authToken !== undefined && { authToken }),
    ...(baseURL !== undefined && { baseURL }),
    maxRetries: 0,
    logger,
    openTelemetry: false,
  });
  if (!URL.canParse(client.baseURL)) throw new TypeError(`The base URL "${client.baseURL}" is no URL.`);
  return client;
}

async function send(
  client: Anthropic,
  options: AnthropicOptions,
  request: ModelRequest,
  signal: AbortSignal,
  tell: Parameters<Model['send']>[1]['onDelta'],
): Promise<ModelReply> {
  const { headersTimeoutMs = 600_000, idleTimeoutMs = 60_000, thinkingTimeoutMs = 600_000 } = options;
  const { host } = new URL(client.baseURL);
  const watch = new Watch(signal);
  let response: Response | null = null;
  let assembly = emptyAssembly;
  const failed = (diagnosis: Diagnosis): ModelReply =>
    failedReply(diagnosis, response, assembly, (text) => mask(text, client, options));
  try {
    watch.expect('response', headersTimeoutMs);
    response = await watch.guard(post(client, request, watch.signal));
    watch.expect('content', idleTimeoutMs);
    if (!isEventStream(response)) {
      const body = await watch.guard(readStart(response));
      return failed(diagnoseBody(response.headers.get('content-type') ?? '', body, host));
    }
    for await (assembly of readAssemblies(response, tell)) {
      watch.expect('content', assembly.open?.block.type === 'thinking' ? thinkingTimeoutMs : idleTimeoutMs);
    }
    if (assembly.fault !== null) return failed(diagnoseFault(assembly.fault, host));
    if (!assembly.isComplete) throw new Error('it ended before its message did');
  } catch (error) {
    if (signal.aborted) return { kind: 'aborted', ...billOf(response, assembly) };
    if (watch.expired !== null) return failed(diagnoseSilence(watch.expired, host));
    if (response !== null) return failed(diagnoseBreak(error, host));
    const { maxRetryAfterMs = 60_000 } = options;
    const hasKey = client.apiKey !== null || client.authToken !== null;
    return failed(diagnoseError(error, { host, hasKey, maxRetryAfterMs, now: Date.now() }));
  } finally {
    watch.stop();
  }
  // Outside: what cannot be read here would be no better if it were asked for again.
  try {
    return messageReply(assembly, response);
  } catch (error) {
    return failed(diagnoseUnreadable(error, host));
  }
}

/** The request goes out as it is: the SDK's typed method knows fewer blocks than the API does. */
const post = (client: Anthropic, request: ModelRequest, signal: AbortSignal): Promise<Response> =>
  client
    .post('/v1/messages', { body: { ...request, stream: true }, stream: true, signal, timeout: forever })
    .asResponse();

/** The watch keeps the time, over the body too. */
const forever = 2 ** 31 - 1;

const messageReply = (assembly: Assembly, response: Response): ModelReply => ({
  kind: 'message',
  ...finish(assembly),
  usage: usageOf(assembly.usage),
  requestId: response.headers.get('request-id'),
});

function failedReply(
  { failure, requestId, ...diagnosis }: Diagnosis,
  response: Response | null,
  assembly: Assembly,
  masked: (text: string) => string,
): ModelReply {
  return {
    kind: 'failed',
    ...diagnosis,
    failure: { ...failure, message: masked(failure.message) },
    requestId: requestId ?? response?.headers.get('request-id') ?? null,
    ...billOf(response, assembly),
  };
}

/** Without a response, or with an error for an answer, nothing is billed; a stream that broke off is. */
function billOf(response: Response | null, { usage: said, start, fault }: Assembly) {
  const usage = usageOf(said);
  if (usage !== null) return { usage, billing: 'partial' as const };
  const isRefused = start === null && fault !== null && fault.errorType !== null;
  return { usage, billing: response === null || isRefused ? ('none' as const) : ('unknown' as const) };
}

/** One line for people, without secrets. Masked before it is cut: half a key would not be recognised. */
function mask(
  text: string,
  { apiKey, authToken }: Anthropic,
  { redact = createRedactor(secretsOf(process.env)) }: AnthropicOptions,
): string {
  const masked = [apiKey, authToken].reduce<string>(
    // A placeholder such as "none" is no secret, and masking it would spoil the text.
    (kept, key) => (key !== null && key.length >= 8 ? kept.replaceAll(key, '[key]') : kept),
    redact(text),
  );
  const line = masked.replaceAll(/\s+/g, ' ').trim();
  return (line.length > maxLength ? `${line.slice(0, maxLength)}…` : line).toWellFormed();
}

const maxLength = 600;
