/** How an agent goes on with a run: what of the journal still holds, and what its host says anew. */
import { z } from 'zod';
import { limitsSchema, type LimitOptions } from './agent-options.ts';
import type { Go, RunPorts } from './agent-run.ts';
import { priceOf } from './budget/prices.ts';
import { reviewResumption } from './effects/judge-call.ts';
import { UserError } from './errors.ts';
import type { JournalHeader, Model, Price, Rule } from './ports.ts';
import { lateWords, resumptionOf, type ResumeRequest } from './resume.ts';
import { recordEnd, resumeLoop } from './run.ts';
import { printSelector } from './rules/text.ts';
import type { StoredRun } from './stored-run.ts';

export interface ResumeOptions {
  /** What the user says to the model. Needed after `end_turn` and `refusal`. */
  readonly message?: string;
  /** In place of those so far. They count over the whole run. */
  readonly limits?: LimitOptions;
  /**
   * False for a journal that others could have written: it grants nothing. Its approvals are asked for again, its allow
   * rules and its working folder do not count. [true]
   */
  readonly isTrusted?: boolean;
}

const schema = z.strictObject({
  message: z.string().optional(),
  limits: limitsSchema.optional(),
  isTrusted: z.boolean().optional(),
});

/** @throws {UserError} when an option is unknown or out of range */
export function parseResumeOptions(options: ResumeOptions): void {
  const parsed = schema.safeParse(options);
  if (!parsed.success)
    throw new UserError(`The options of resume are wrong.\n${z.prettifyError(parsed.error)}`);
  if (options.message !== undefined && options.message.trim() === '')
    throw new UserError('The message is blank. Leave it out, or say what is to be done.');
}

/**
 * Those that are given take the place of earlier ones about the same calls: to loosen, say the very rule again. All others
 * stay, so more rules only tighten. What others wrote down allows nothing.
 */
export const rulesAfter = (
  earlier: readonly Rule[],
  given: readonly Rule[],
  isTrusted: boolean,
): readonly Rule[] => [
  ...earlier
    .filter((rule) => !given.some((other) => printSelector(other) === printSelector(rule)))
    .filter(({ verdict }) => isTrusted || verdict !== 'allow'),
  ...given,
];

interface Now extends Pick<ResumeRequest, 'workdir' | 'confinements'> {
  readonly model: Model;
  readonly rules: readonly Rule[];
  readonly isTrusted: boolean;
}

/**
 * Checks how the run goes on.
 * @throws {UserError} when it cannot: nothing has been recorded
 */
export function resumption(
  { state, ended }: StoredRun,
  { message, limits = {} }: ResumeOptions,
  { model, rules, isTrusted, workdir, confinements }: Now,
  ports: RunPorts,
): Go {
  const { header, snapshot } = state;
  const isSaidNothing = message === undefined && Object.keys(limits).length === 0;
  // Its process died between its last fact and its last line.
  if (snapshot.status !== 'active' && ended === null && isSaidNothing) {
    return (watched) => recordEnd(state, watched);
  }
  const request: ResumeRequest = {
    limits: limitsAfter(state.snapshot.context.limits, limits),
    message: message ?? null,
    late: lateWords(state, ended),
    price: priceNow(header, model, isTrusted),
    rules,
    workdir,
    confinements,
    timeoutMs: limits.timeoutMs === undefined ? header.timeoutMs : limits.timeoutMs,
    isTrusted,
  };
  const fact = resumptionOf(state, request, ports);
  return async (watched, inbox) => {
    if (snapshot.status !== 'active') return resumeLoop(state, fact, watched, inbox);
    const { facts } = state;
    const view = { header, facts, context: snapshot.context, since: facts.length };
    const { signal } = new AbortController();
    return resumeLoop(state, await reviewResumption(fact, view, watched, signal), watched, inbox);
  };
}

function limitsAfter({ budget }: JournalHeader['limits'], limits: LimitOptions): ResumeRequest['limits'] {
  const { maxUsd, tokenBudget, timeoutMs: _, ...counts } = limits;
  return {
    ...counts,
    budget: {
      nanoUsd: maxUsd === undefined ? budget.nanoUsd : maxUsd === null ? null : Math.round(maxUsd * 1e9),
      tokens: tokenBudget === undefined ? budget.tokens : tokenBudget,
    },
  };
}

/** A price in the journal stands in for one that is not known otherwise. */
const priceNow = ({ model: before, price }: JournalHeader, model: Model, isTrusted: boolean): Price | null =>
  model.price ?? priceOf(model.id) ?? (isTrusted && before === model.id ? price : null);
