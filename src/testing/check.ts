/** The checks of a request in the order of the real API: who asks, what for, and whether it makes sense. */
import type { IncomingMessage } from 'node:http';
import type { Signatures } from './signatures.ts';
import { validateRequest, type Refusal } from '../verify/api/index.ts';

export type { Refusal } from '../verify/api/index.ts';

const VERSIONS: readonly string[] = ['2023-06-01', '2026-10-21'];

const MAX_BODY_BYTES = 32 * 2 ** 20;

/** A body as JSON, or what it was instead. */
export type ReadBody = { readonly json: unknown } | { readonly raw: string; readonly problem: string };

export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= MAX_BODY_BYTES) chunks.push(bytes);
  }
  if (size > MAX_BODY_BYTES) return { raw: '', problem: 'too large' };
  const bytes = Buffer.concat(chunks);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (text === '') return { json: null };
    const json: unknown = JSON.parse(text);
    if (!isWellFormed(json)) throw new SyntaxError('a string holds a lone surrogate');
    return { json };
  } catch (error) {
    return { raw: bytes.toString('latin1'), problem: String(error) };
  }
}

const isWellFormed = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, field]) => key.isWellFormed() && isWellFormed(field));
};

interface Incoming {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly read: ReadBody;
}

interface Rules {
  readonly apiKeys?: readonly string[];
  readonly models?: readonly string[] | 'any';
  readonly signatures: Signatures;
}

const invalid = (message: string): Refusal => ({ status: 400, type: 'invalid_request_error', message });

export function checkRequest(incoming: Incoming, rules: Rules): Refusal | null {
  return (
    checkHost(incoming) ?? checkKey(incoming, rules) ?? checkPath(incoming) ?? checkBody(incoming, rules)
  );
}

/** Only this machine may ask; a page in a browser may not. */
function checkHost({ headers: { host, origin } }: Incoming): Refusal | null {
  const isLocal = typeof host === 'string' && /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host);
  if (isLocal && (origin === undefined || origin === `http://${host}`)) return null;
  return { status: 403, type: 'permission_error', message: 'This server answers only to its own machine.' };
}

function checkKey({ headers }: Incoming, { apiKeys }: Rules): Refusal | null {
  const bearer = typeof headers['authorization'] === 'string' ? headers['authorization'] : '';
  const key = headers['x-api-key'] ?? (/^Bearer (.+)$/.exec(bearer)?.[1] || undefined);
  if (key === undefined || key === '') {
    return { status: 401, type: 'authentication_error', message: 'x-api-key header is required' };
  }
  if (apiKeys === undefined || apiKeys.includes(String(key))) return null;
  const message = bearer === '' ? 'invalid x-api-key' : 'Invalid authentication credentials';
  return { status: 401, type: 'authentication_error', message };
}

const POSTS = ['/v1/messages', '/v1/messages/count_tokens'];

function checkPath({ method, path }: Incoming): Refusal | null {
  const isKnown =
    (method === 'POST' && POSTS.includes(path)) || (method === 'GET' && path.startsWith('/v1/models/'));
  return isKnown ? null : { status: 404, type: 'not_found_error', message: 'Not Found' };
}

function checkBody({ method, path, headers, read }: Incoming, { models, signatures }: Rules): Refusal | null {
  const version = headers['anthropic-version'];
  if (typeof version !== 'string') return invalid('anthropic-version: header is required');
  if (!VERSIONS.includes(version)) {
    return invalid(`anthropic-version: "${version}" is not a valid version. Did you mean "2023-06-01"?`);
  }
  if (method === 'GET') return null;
  if ('problem' in read) {
    return read.problem === 'too large'
      ? { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' }
      : invalid(`The request body is not valid JSON: ${read.problem}`);
  }
  // Counting takes the same request, but for the length of the answer.
  const isCount = path.endsWith('/count_tokens');
  const body = isCount && typeof read.json === 'object' ? { max_tokens: 1, ...read.json } : read.json;
  const refusal = validateRequest(body, { version, ...(models !== undefined && { models }) });
  if (refusal !== null) return refusal;
  // What passed is an object.
  const fault = signatures.faultOf(read.json as Readonly<Record<string, unknown>>);
  return fault === null ? null : invalid(fault);
}
