/**
 * A server that speaks the Messages API, for tests and demos: as strict as the real one about what it is sent, and able
 * to go wrong in every way that the real one does. It listens on 127.0.0.1 only.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, sendError, type Exchange } from './answer.ts';
import { checkRequest, readBody, type Refusal } from './check.ts';
import { contextWindowOf, isKnownModel } from '../verify/api/models.ts';
import { randomFrom } from './random.ts';
import type { Reply } from './reply.ts';
import { Signatures } from './signatures.ts';
import { PromptCache, promptTokensOf, type Body } from './usage.ts';

/** What the scripted model sees. */
export interface ReceivedRequest {
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Requests for messages before this one that were valid. */
  readonly index: number;
}

export interface StrictServerOptions {
  readonly respond: (request: ReceivedRequest) => Reply | Promise<Reply>;
  /** Keys that are accepted. Default: any. */
  readonly apiKeys?: readonly string[];
  /** Model ids beyond the known ones, or any. */
  readonly models?: readonly string[] | 'any';
  /** Of chunk boundaries and padding. Default 1. */
  readonly seed?: number;
  /** Default `random`: boundaries fall anywhere, also inside a character. */
  readonly chunks?: 'whole' | 'random';
}

/** One request as it came, and what was wrong with it. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: ReceivedRequest['headers'];
  readonly body: unknown;
  readonly refusal: Refusal | null;
}

export interface StrictServer {
  readonly url: string;
  readonly requests: readonly LoggedRequest[];
  close(): Promise<void>;
}

export async function startStrictServer(options: StrictServerOptions): Promise<StrictServer> {
  const requests: LoggedRequest[] = [];
  const state: State = {
    options,
    requests,
    random: randomFrom(options.seed ?? 1),
    signatures: new Signatures(),
    cache: new PromptCache(),
    count: 0,
    answered: 0,
  };
  const server = createServer((request, response) => {
    // A client that goes away is its own business.
    response.on('error', () => undefined);
    handle(request, response, state).catch((error: unknown) => {
      // Mostly the fault of `respond`: whoever wrote it has to see why.
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'application/json' }).end(errorBody(error));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // The address of a server that listens on a port is no string.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const errorBody = (error: unknown): string =>
  JSON.stringify({ type: 'error', error: { type: 'api_error', message: String(error) } });

interface State {
  readonly options: StrictServerOptions;
  readonly requests: LoggedRequest[];
  readonly random: () => number;
  readonly signatures: Signatures;
  readonly cache: PromptCache;
  count: number;
  answered: number;
}

async function handle(request: IncomingMessage, response: ServerResponse, state: State): Promise<void> {
  state.count += 1;
  const { method = 'GET', headers } = request;
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const exchange: Exchange = { request, response, requestId: `req_${String(state.count).padStart(24, '0')}` };
  const read = await readBody(request);
  const body = 'json' in read ? read.json : read.raw;
  const refused = checkRequest(
    { method, path, headers, read },
    { ...state.options, signatures: state.signatures },
  );
  // What passed the check is an object. Counting is how one finds out.
  const refusal = refused ?? (path === '/v1/messages' ? lengthRefusal(body as Body) : null);
  state.requests.push({ method, path, headers, body, refusal });
  if (refusal !== null) return sendError(exchange, refusal);
  if (path.startsWith('/v1/models/')) return sendModel(exchange, path, state.options.models);
  // What passed the check is an object.
  const valid = body as Body;
  if (path.endsWith('/count_tokens')) return sendJson(exchange, { input_tokens: promptTokensOf(valid) });
  const index = state.answered;
  state.answered += 1;
  const reply = await state.options.respond({ body: valid, headers, index });
  await answer(reply, exchange, {
    body: valid,
    version: String(headers['anthropic-version']),
    number: index + 1,
    prompt: state.cache.use(valid),
    signatures: state.signatures,
    random: state.random,
    isChunked: state.options.chunks !== 'whole',
  });
}

function lengthRefusal(body: Body): Refusal | null {
  const [tokens, most] = [promptTokensOf(body), contextWindowOf(String(body['model']))];
  if (most === null || tokens <= most) return null;
  const message = `prompt is too long: ${tokens} tokens > ${most} maximum`;
  return { status: 400, type: 'invalid_request_error', message };
}

function sendModel(exchange: Exchange, path: string, models: StrictServerOptions['models']): void {
  const id = decoded(path.slice('/v1/models/'.length));
  if (!isKnownModel(id, models)) {
    return sendError(exchange, { status: 404, type: 'not_found_error', message: `model: ${id}` });
  }
  sendJson(exchange, { type: 'model', id, display_name: id, max_input_tokens: 200_000, max_tokens: 64_000 });
}

/** What cannot be decoded stands for itself: no model has such an id. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function sendJson({ response, requestId }: Exchange, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json', 'request-id': requestId });
  response.end(JSON.stringify(value));
}
