/** The model of a run of the command: the real API, a server that speaks it, or a script played by our own server. */
import { readFile } from 'node:fs/promises';
import { priceOf } from '../budget/prices.ts';
import { UserError, messageOf } from '../errors.ts';
import { anthropic } from '../model/anthropic.ts';
import { parseScript, type Script } from '../model/parse-script.ts';
import type { Model, ModelReply, Price } from '../ports.ts';
import type { RunOptions } from './options.ts';
import { visibleLine } from '../text/visible.ts';
import { playScript } from './scripted-server.ts';

const SCRIPTED = 'scripted:';

export interface OpenModel {
  readonly model: Model;
  readonly close: () => Promise<void>;
}

type ModelOptions = Pick<RunOptions, 'model' | 'baseUrl' | 'price'>;

/** @throws {UserError} when there is no key, or the script cannot be played: nothing has been sent */
export async function openModel(
  options: ModelOptions,
  env: NodeJS.ProcessEnv,
  redact: (text: string) => string,
): Promise<OpenModel> {
  if (options.model.startsWith(SCRIPTED))
    return openScript(await readScript(options.model.slice(SCRIPTED.length)), options.price);
  const baseURL = options.baseUrl ?? env['ANTHROPIC_BASE_URL'];
  const hasKey = Boolean(env['ANTHROPIC_API_KEY'] || env['ANTHROPIC_AUTH_TOKEN']);
  if (!hasKey && !baseURL) throw new UserError(NO_KEY);
  if (baseURL) checkAddress(baseURL);
  checkKeys(env);
  return {
    model: anthropic(options.model, {
      ...credentialsOf(env),
      ...(baseURL && { baseURL }),
      price: options.price ?? priceOf(options.model),
      redact,
    }),
    close: async () => undefined,
  };
}

const NO_KEY = `No API key. Three ways on:
  - set ANTHROPIC_API_KEY (or name a file that sets it: --dotenv FILE);
  - name a server that speaks the Messages API, a local one for example: --base-url URL;
  - try \`turnstile demo\`, which needs neither a key nor a network.`;

/** Each request would fail in the same way, and be tried again. */
function checkAddress(baseURL: string): void {
  if (!URL.canParse(baseURL) || !/^https?:$/.test(new URL(baseURL).protocol))
    throw new UserError(`ANTHROPIC_BASE_URL is no http:// or https:// address: ${visibleLine(baseURL)}`);
  const { username, password } = new URL(baseURL);
  if (username + password === '') return;
  throw new UserError(
    'The address of the server (--base-url, ANTHROPIC_BASE_URL) holds a user or a password, which no request takes. Leave them out, and set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.',
  );
}

function checkKeys(env: NodeJS.ProcessEnv): void {
  const name = KEYS.find((key) => /[^\t -~\u0080-\u00ff]/.test((env[key] ?? '').trim()));
  if (name === undefined) return;
  throw new UserError(`${name} holds a character that no header takes, a line break perhaps. Set it again.`);
}

const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] as const;

type Credentials = { readonly apiKey: string } | { readonly authToken: string };

/** A local server needs no key, but the client does not send a request without one. */
export function credentialsOf(env: NodeJS.ProcessEnv): Credentials {
  const [apiKey, authToken] = [env['ANTHROPIC_API_KEY'], env['ANTHROPIC_AUTH_TOKEN']];
  if (apiKey) return { apiKey };
  return authToken ? { authToken } : { apiKey: 'none' };
}

async function readScript(path: string): Promise<Script> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UserError(`Cannot read the script ${path}: ${messageOf(error)}`, { cause: error });
  }
  return parseScript(json, path);
}

/** A script is played by our own server, so that the client is the real one. */
export async function openScript(script: Script, price?: Price): Promise<OpenModel> {
  const server = await playScript(script);
  const model = anthropic(SCRIPTED_MODEL, {
    baseURL: server.url,
    apiKey: 'scripted',
    price: price ?? priceOf(SCRIPTED_MODEL),
  });
  return {
    model: { ...model, send: async (...sent) => tellFault(await model.send(...sent)) },
    close: server.close,
  };

  /** What the client saw is an answer of a server. People are told of the script, which they can mend. */
  function tellFault(reply: ModelReply): ModelReply {
    const fault = server.fault();
    if (reply.kind !== 'failed' || fault === null) return reply;
    return { ...reply, failure: { status: null, errorType: null, message: fault, retryAfterMs: null } };
  }
}

/** The server plays this model, so that usage has a price. */
const SCRIPTED_MODEL = 'claude-haiku-5-5';
