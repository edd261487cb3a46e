/**
 * `turnstile.json` in the folder that the command runs in. Others may have written it: it may only tighten. What loosens
 * is wrong use, unless `--trust` names the hash of exactly this file.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { UserError, messageOf } from '../errors.ts';
import type { Rule } from '../ports.ts';
import { rulesSchema } from '../rules/schema.ts';
import { printRule } from '../rules/text.ts';
import { visible, visibleLine } from '../text/visible.ts';

export const PROJECT_FILE = 'turnstile.json';

const MAX_BYTES = 100_000;

const blankless = z.string().regex(/\S/, 'It must not be blank.');

const schema = z.strictObject({
  rules: rulesSchema.optional(),
  maxUsd: z.number().positive().optional(),
  tokenBudget: z.int().min(1).optional(),
  /** Seconds. */
  timeout: z.number().positive().max(1e9).optional(),
  yes: z.boolean().optional(),
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  dotenv: blankless.optional(),
  python: blankless.optional(),
});

export interface ProjectFile {
  readonly rules: readonly Rule[];
  /** Limits for what no flag says. */
  readonly maxUsd: number | undefined;
  readonly tokenBudget: number | undefined;
  readonly timeout: number | undefined;
  readonly yes: boolean | undefined;
  readonly baseUrl: string | undefined;
  readonly dotenv: string | undefined;
  readonly python: string | undefined;
}

/** Never in a file, whoever trusts it: they say where secrets and records are, or there is a flag for each run. */
const NEVER = ['apiKey', 'key', 'envFile', 'stateDir', 'sandbox', 'workdir'];

const NOTHING: ProjectFile = {
  rules: [],
  maxUsd: undefined,
  tokenBudget: undefined,
  timeout: undefined,
  yes: undefined,
  baseUrl: undefined,
  dotenv: undefined,
  python: undefined,
};

/**
 * @param trust hash of a file whose loosening counts
 * @throws {UserError} when the file cannot be read, says something that it must not, or is not the trusted one
 */
export async function readProjectFile(trust: string | undefined): Promise<ProjectFile> {
  const bytes = await bytesOf(PROJECT_FILE);
  if (bytes === null) {
    if (trust === undefined) return NOTHING;
    throw new UserError(`--trust: there is no ${PROJECT_FILE} here. Leave the option out.`);
  }
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (trust !== undefined && trust !== hash)
    throw new UserError(
      `--trust: ${PROJECT_FILE} is not the file with this hash, so it may have changed since somebody looked at it. Read it; its hash is ${hash}.`,
    );
  const file = parse(bytes);
  const loose = looseIn(file);
  if (loose.length > 0 && trust === undefined)
    throw new UserError(
      `${PROJECT_FILE} of this folder would loosen what a run may do, and only you can: ${loose.join('; ')}. Take it out, or say it on the command line. If you have read the file and trust all of it: --trust ${hash}`,
    );
  return file;
}

function parse(bytes: Buffer): ProjectFile {
  const { text, value } = jsonIn(bytes);
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const never = keys.find((key) => NEVER.includes(key));
  if (never !== undefined)
    throw new UserError(
      `${PROJECT_FILE}: ${never} is not taken from a file, not even with --trust. Say it on the command line, or in the environment.`,
    );
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    throw new UserError(
      `${PROJECT_FILE} is wrong, so nothing was started.\n${visible(z.prettifyError(parsed.error)).slice(0, MAX_SHOWN)}\nIt takes: ${Object.keys(schema.shape).join(', ')}.`,
    );
  if (keysWritten(text) !== keysIn(value))
    throw new UserError(
      `${PROJECT_FILE} has a key twice in one object, and only the last of them would count. Leave one of them out.`,
    );
  return { ...NOTHING, ...parsed.data, rules: parsed.data.rules ?? [] };
}

const MAX_SHOWN = 2_000;

function jsonIn(bytes: Buffer): { readonly text: string; readonly value: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch (error) {
    throw new UserError(
      `${PROJECT_FILE} is no JSON: ${visibleLine(messageOf(error).replace(EXCERPT, ''))}.`,
      { cause: error },
    );
  }
}

/** Of the strings of valid JSON, those before a colon. */
const keysWritten = (text: string): number =>
  Array.from(text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)).filter(([, colon]) => colon !== undefined).length;

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value).reduce<number>((sum, field) => sum + keysIn(field), 0);
  return inside + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

/** The engine quotes the text, cut anywhere: half a secret is not known as one. */
const EXCERPT = /(?:, |: )?(?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s;

/** What of it gives a run more than it has by itself. */
function looseIn({ rules, yes, ...file }: ProjectFile): readonly string[] {
  const allows = rules.filter(({ verdict }) => verdict === 'allow');
  return [
    ...allows.slice(0, MAX_NAMED).map((rule) => `rules (${visibleLine(printRule(rule))})`),
    ...(allows.length > MAX_NAMED ? [`and ${allows.length - MAX_NAMED} more rules that allow`] : []),
    ...(yes === true ? ['yes'] : []),
    ...(['baseUrl', 'dotenv', 'python'] as const).filter((key) => file[key] !== undefined),
  ];
}

const MAX_NAMED = 5;

/** Null where there is no such file. A pipe is not waited for, a huge file not read. */
async function bytesOf(path: string): Promise<Buffer | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new Error('it is no regular file');
      // Not by its size alone: files of /proc say 0.
      const pieces: Buffer[] = await file.createReadStream({ end: MAX_BYTES, autoClose: false }).toArray();
      const bytes = Buffer.concat(pieces);
      if (bytes.length > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
      return bytes;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new UserError(`${PROJECT_FILE} cannot be read: ${visibleLine(messageOf(error))}.`, {
      cause: error,
    });
  }
}
