import { z } from 'zod';
import type { Limits, OnLimit } from '../machines/index.ts';
import type { BeforeTool } from './approval/before-tool.ts';
import type { ApproveFunction } from './approval/unattended.ts';
import { DEFAULT_LIMITS } from './defaults.ts';
import { UserError } from './errors.ts';
import type { Inspect } from './inspect/mirror.ts';
import type { Approver, Clock, Journal, Model, Rule } from './ports.ts';
import { whyNever } from './rules/check.ts';
import { rulesSchema } from './rules/schema.ts';
import { printRule } from './rules/text.ts';
import type { Redactor } from './text/redact.ts';
import type { Tool } from './tools/define-tool.ts';
import type { ToolTexts } from './tools/texts.ts';

/** Limits of a run. What is left out has the default in brackets. */
export interface LimitOptions {
  /** Turns that are asked, 1 or more. [10] */
  readonly maxTurns?: number;
  /** USD, more than 0. The model's price must be known. [none] */
  readonly maxUsd?: number | null;
  /** Tokens of all requests and responses together, cache reads and writes included. [none] */
  readonly tokenBudget?: number | null;
  /** Working time in milliseconds; it stands still while a person is asked. [none] */
  readonly timeoutMs?: number | null;
  /** Retries of one turn. [4] */
  readonly maxRetries?: number;
  /** Times that a truncated response is asked again with a doubled `max_tokens`. [2] */
  readonly maxGrowths?: number;
  /** Times that a paused turn is sent back. [5] */
  readonly maxContinuations?: number;
  /** Turns in a row in which the same call may end badly. [3] */
  readonly stuckAfter?: number;
}

export interface AgentOptions {
  readonly model: Model;
  readonly tools?: readonly Tool[];
  /** The folder that tools see. [the current folder] */
  readonly workdir?: string;
  readonly system?: string;
  /** `output_config.effort`; null sends none. [medium] */
  readonly effort?: string | null;
  /** `max_tokens` of a request. [16,000] */
  readonly maxTokens?: number;
  readonly limits?: LimitOptions;
  /** What happens at the turn limit. [summarise] */
  readonly onLimit?: OnLimit;
  /** Deny beats ask beats allow. docs/rules.md */
  readonly rules?: readonly Rule[];
  /** Turns *ask* into *allow*; never a deny. [false] */
  readonly approveAll?: boolean;
  /** Decides asked calls. Without it they are denied. */
  readonly approve?: ApproveFunction | Approver;
  /**
   * Decides in code about calls that the rules do not forbid: it may tighten what they say, and decide where none does.
   * Throwing, taking more than 10 s, or giving back anything else than a verdict denies the call.
   */
  readonly beforeTool?: BeforeTool;
  /** Where the facts are kept. [in memory] */
  readonly journal?: Journal;
  /** What tools and the loop say to the model when something goes wrong. */
  readonly texts?: ToolTexts;
  /** Folders that tools never see, beside `.turnstile`: where journals are kept, say. */
  readonly hidden?: readonly string[];
  /**
   * Masks secrets in what tools return and keep. A function of your own is given whole lines where output comes in
   * pieces. [`createRedactor(secretsOf(process.env))`]
   */
  readonly redact?: Redactor;
  readonly clock?: Clock;
  /**
   * Told what an actor of the machine does that repeats the run's facts, as xstate tells it. Texts, inputs and outputs are
   * left out. It changes nothing, also where it throws. docs/stately.md shows a use.
   */
  readonly inspect?: Inspect;
}

const count = z.int().min(1);

const usd = z.number().min(0);
const card = {
  input: usd,
  output: usd,
  cacheRead: usd,
  cacheWrite5m: usd,
  cacheWrite1h: usd,
};
const price = z.looseObject({
  ...card,
  above: z.looseObject({ promptTokens: z.int().min(0), price: z.looseObject(card) }).optional(),
});

export const limitsSchema = z.strictObject({
  maxTurns: count.optional(),
  maxUsd: z.number().positive().nullish(),
  tokenBudget: count.nullish(),
  timeoutMs: z.number().positive().nullish(),
  maxRetries: z.int().min(0).optional(),
  maxGrowths: z.int().min(0).optional(),
  maxContinuations: z.int().min(0).optional(),
  stuckAfter: count.optional(),
});

const schema = z.strictObject({
  model: z.looseObject({
    id: z.string(),
    limits: z.looseObject({ maxTokens: count, contextWindow: count }),
    price: price.nullable(),
  }),
  tools: z.array(z.looseObject({ definition: z.looseObject({ name: z.string() }) })).optional(),
  workdir: z.string().min(1).optional(),
  system: z.string().optional(),
  effort: z.string().min(1).nullish(),
  maxTokens: count.optional(),
  limits: limitsSchema.optional(),
  onLimit: z.enum(['summarise', 'stop', 'ask']).optional(),
  rules: rulesSchema.optional(),
  approveAll: z.boolean().optional(),
  approve: z.unknown().optional(),
  beforeTool: z.custom((hook) => typeof hook === 'function', 'It is no function.').optional(),
  journal: z.unknown().optional(),
  texts: z.unknown().optional(),
  hidden: z.array(z.string().min(1)).optional(),
  redact: z.unknown().optional(),
  clock: z.unknown().optional(),
  inspect: z.unknown().optional(),
});

/** @throws {UserError} when an option is unknown or out of range, two tools have one name, or a rule can never match */
export function parseOptions(options: AgentOptions): AgentOptions {
  const parsed = schema.safeParse(options);
  if (!parsed.success)
    throw new UserError(`The agent's options are wrong.\n${z.prettifyError(parsed.error)}`);
  checkTools(options);
  checkTexts(options);
  return options;
}

/** What the budget keeps back for a summary has room for its instruction, and for what closed calls are told. */
const MAX_SUMMARY_BYTES = 800;

function checkTexts({ texts }: AgentOptions): void {
  for (const cause of ['max_turns', 'budget', 'stuck'] as const) {
    const bytes = texts === undefined ? 0 : Buffer.byteLength(texts.summary(cause));
    if (bytes > MAX_SUMMARY_BYTES)
      throw new UserError(
        `texts.summary('${cause}') has ${bytes} bytes; a budget can keep back enough for ${MAX_SUMMARY_BYTES}. Put what holds for all turns into the system text.`,
      );
  }
}

function checkTools({ tools = [], rules = [] }: AgentOptions): void {
  const names = tools.map(({ definition }) => definition.name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new UserError(`Two tools have the name ${twin}. Rename one of them.`);
  const definitions = tools.map(({ definition }) => definition);
  for (const rule of rules) {
    const why = whyNever(rule, definitions);
    if (why !== null) throw new UserError(`rules: "${printRule(rule)}" can never match. ${why}`);
  }
}

/** Limits with the defaults, or others, for what is left out. */
export function limitsOf(limits: LimitOptions = {}): Limits {
  const { maxUsd = null, tokenBudget = null } = limits;
  return {
    maxTurns: limits.maxTurns ?? DEFAULT_LIMITS.maxTurns,
    budget: { nanoUsd: maxUsd === null ? null : Math.round(maxUsd * 1e9), tokens: tokenBudget },
    maxRetries: limits.maxRetries ?? DEFAULT_LIMITS.maxRetries,
    maxGrowths: limits.maxGrowths ?? DEFAULT_LIMITS.maxGrowths,
    maxContinuations: limits.maxContinuations ?? DEFAULT_LIMITS.maxContinuations,
    stuckAfter: limits.stuckAfter ?? DEFAULT_LIMITS.stuckAfter,
  };
}
