/** What a run needs, looked for on this machine. Nothing is sent but one empty GET to the base URL. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findPython } from '../tools/run-python.ts';
import { messageOf } from '../errors.ts';
import { EXIT } from './exit-codes.ts';
import { writeAll, type Io } from './io.ts';

interface Check {
  readonly name: string;
  /** `missing` is in the way of some runs only; `failed` of all. */
  readonly status: 'ok' | 'missing' | 'failed';
  readonly detail: string;
}

const MIN_NODE = [20, 19] as const;
const DEFAULT_BASE_URL = 'https://api.anthropic.com';
const REACH_MS = 3_000;

export async function runDoctor(
  options: { readonly baseUrl?: string; readonly json?: boolean },
  io: Io,
): Promise<number> {
  const checks = await Promise.all([
    nodeCheck(),
    pythonCheck(io),
    keyCheck(io),
    sandboxCheck(),
    reachCheck(options.baseUrl ?? io.env['ANTHROPIC_BASE_URL'] ?? DEFAULT_BASE_URL),
    terminalCheck(io),
  ]);
  const isOk = checks.every(({ status }) => status !== 'failed');
  const text = options.json
    ? `${JSON.stringify({ ok: isOk, checks })}\n`
    : checks.map(({ name, status, detail }) => `${status.padEnd(7)} ${name}: ${detail}\n`).join('');
  await writeAll(io.stdout, text);
  return isOk ? EXIT.ok : EXIT.internal;
}

async function nodeCheck(): Promise<Check> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  return {
    name: 'node',
    status: isEnough ? 'ok' : 'failed',
    detail: `${process.versions.node} (${MIN_NODE.join('.')} or later is needed)`,
  };
}

async function pythonCheck({ env }: Io): Promise<Check> {
  const found = await findPython(env);
  return found === null
    ? { name: 'python3', status: 'missing', detail: 'not found; runs need --tools read_file' }
    : { name: 'python3', status: 'ok', detail: `${found.version} (${found.path})` };
}

async function keyCheck({ env }: Io): Promise<Check> {
  const name = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'].find((key) => env[key]);
  return name === undefined
    ? { name: 'key', status: 'missing', detail: 'ANTHROPIC_API_KEY is not set' }
    : { name: 'key', status: 'ok', detail: `${name} is set` };
}

async function sandboxCheck(): Promise<Check> {
  const found = await promisify(execFile)('bwrap', ['--version'], { timeout: REACH_MS }).catch(() => null);
  return found === null
    ? {
        name: 'sandbox',
        status: 'missing',
        detail: 'no bubblewrap; python runs unconfined in this version anyway',
      }
    : { name: 'sandbox', status: 'ok', detail: `${found.stdout.trim()}; not used in this version` };
}

/** Any answer will do: an error of HTTP shows that somebody is there. */
async function reachCheck(baseUrl: string): Promise<Check> {
  const name = 'base URL';
  if (!URL.canParse(baseUrl)) return { name, status: 'missing', detail: `${baseUrl} is no address` };
  try {
    const { status } = await fetch(baseUrl, { method: 'GET', signal: AbortSignal.timeout(REACH_MS) });
    return { name, status: 'ok', detail: `${new URL(baseUrl).origin} answers (HTTP ${status})` };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return {
      name,
      status: 'missing',
      detail: `${new URL(baseUrl).origin} does not answer: ${messageOf(cause)}`,
    };
  }
}

async function terminalCheck({ stdin, stderr }: Io): Promise<Check> {
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true;
  return {
    name: 'terminal',
    status: isTerminal ? 'ok' : 'missing',
    detail: isTerminal ? 'yes; asked calls are asked for here' : 'no; asked calls are denied without --yes',
  };
}
