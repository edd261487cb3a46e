/** What a run needs, looked for on this machine. One thing is sent: a GET for the models of the server, with the key. */
import { messageOf } from '../errors.ts';
import { createRedactor, secretsOf } from '../text/redact.ts';
import { visibleLine } from '../text/visible.ts';
import { findPython, NOT_HELD } from '../sandbox/index.ts';
import { runPython } from '../tools/run-python.ts';
import { environmentWith, readDotenv } from './environment.ts';
import { EXIT } from './exit-codes.ts';
import { jsonOf, writeAll, type Io } from './io.ts';
import { credentialsOf } from './model.ts';

interface Check {
  readonly name: string;
  /** `missing` takes something away; `failed` leaves nothing that runs without more options. */
  readonly status: 'ok' | 'missing' | 'failed';
  readonly isRequired: boolean;
  readonly detail: string;
}

const MIN_NODE = [20, 19] as const;
const DEFAULT_BASE_URL = 'https://api.anthropic.com';
const REACH_MS = 3_000;

export interface DoctorOptions {
  readonly baseUrl?: string;
  readonly dotenv?: string;
  readonly json?: boolean;
}

/** @returns the exit code: 0 when `turnstile "…"` could start here */
export async function runDoctor(options: DoctorOptions, io: Io): Promise<number> {
  const dotenv = await readDotenv(options.dotenv);
  const env = environmentWith(dotenv, io.env);
  const baseUrl = options.baseUrl ?? env['ANTHROPIC_BASE_URL'];
  const redact = createRedactor([dotenv, io.env, { baseUrl }].flatMap(secretsOf));
  // First: it has a time limit, and trying sandboxes lets nothing else happen meanwhile.
  const reach = await reachCheck(baseUrl ?? DEFAULT_BASE_URL, env);
  const found = [
    nodeCheck(),
    pythonCheck(env),
    keyCheck(env, baseUrl),
    reach,
    terminalCheck(io),
    sandboxCheck(env),
  ];
  // What a failed request says may hold the key, or the password of an address.
  const checks = found.map((each) => ({ ...each, detail: redact(each.detail) }));
  const isOk = checks.every(({ status }) => status !== 'failed');
  await writeAll(
    io.stdout,
    options.json ? jsonOf({ ok: isOk, checks: checks.map(documentOf) }) : checks.map(lineOf).join(''),
  );
  return isOk ? EXIT.ok : EXIT.internal;
}

const documentOf = ({ name, status, isRequired, detail }: Check) => ({
  name,
  status,
  required: isRequired,
  detail,
});

const lineOf = ({ name, status, isRequired, detail }: Check): string =>
  `${status.padEnd(7)} ${name} (${isRequired ? 'required' : 'optional'}): ${visibleLine(detail)}\n`;

/** A need that is met or not, with what to say in either case. */
const check = (name: string, isRequired: boolean, isMet: boolean, detail: string): Check => ({
  name,
  isRequired,
  status: isMet ? 'ok' : isRequired ? 'failed' : 'missing',
  detail,
});

function nodeCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  return check('node', true, isEnough, `${process.versions.node} (${MIN_NODE.join('.')} or later is needed)`);
}

function pythonCheck(env: NodeJS.ProcessEnv): Check {
  const found = findPython(env);
  return check(
    'python3',
    true,
    found !== null,
    found === null ? 'not found; without it runs need --tools read_file' : `${found.version} (${found.path})`,
  );
}

/** A server of one's own may need no key. */
function keyCheck(env: NodeJS.ProcessEnv, baseUrl: string | undefined): Check {
  const name = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].find((key) => env[key]);
  const none = 'neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set';
  return check('key', !baseUrl, name !== undefined, name === undefined ? none : `${name} is set`);
}

const reached = (isMet: boolean, detail: string): Check => check('base URL', true, isMet, detail);

async function reachCheck(baseUrl: string, env: NodeJS.ProcessEnv): Promise<Check> {
  if (!URL.canParse(baseUrl)) return reached(false, `${baseUrl} is no address`);
  const { origin } = new URL(baseUrl);
  try {
    const url = new URL('v1/models?limit=1', `${baseUrl.replace(/\/$/, '')}/`);
    const { status } = await fetch(url, { headers: headersOf(env), signal: AbortSignal.timeout(REACH_MS) });
    return reached(...verdictOn(status, origin));
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return reached(false, `${origin} does not answer: ${messageOf(cause)}`);
  }
}

/** The same credentials as a run's. */
function headersOf(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const credentials = credentialsOf(env);
  return {
    'anthropic-version': '2023-06-01',
    ...('apiKey' in credentials
      ? { 'x-api-key': credentials.apiKey }
      : { authorization: `Bearer ${credentials.authToken}` }),
  };
}

/** A server need not list its models: an error of HTTP shows that somebody is there, but for those that shut us out. */
function verdictOn(status: number, origin: string): [boolean, string] {
  if (status === 401 || status === 403)
    return [false, `${origin} does not let us in (HTTP ${status}): the key is missing or wrong`];
  if (status >= 500) return [false, `${origin} is not well (HTTP ${status})`];
  return [true, `${origin} answers (HTTP ${status})`];
}

function terminalCheck({ stdin, stderr }: Io): Check {
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true;
  return check(
    'terminal',
    false,
    isTerminal,
    isTerminal
      ? 'calls that need approval are asked for here'
      : 'nobody can be asked here: a run waits for turnstile approve where a call needs approval, but with --yes or --allow',
  );
}

function sandboxCheck(env: NodeJS.ProcessEnv): Check {
  try {
    const { confinement } = runPython({ env, asRoot: env['TURNSTILE_AS_ROOT'] === '1' });
    const { sandbox = 'none', instead = null } = confinement ?? {};
    const open = NOT_HELD[sandbox];
    const less = open === undefined ? '' : ` It does not hold: ${open.join('; ')}.`;
    return check('sandbox', true, true, `${sandbox}.${instead === null ? '' : ` ${instead}.`}${less}`);
  } catch (error) {
    return check('sandbox', true, false, messageOf(error));
  }
}
