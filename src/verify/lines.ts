/** Lines of a journal as a verifier takes them: hostile, so only what is relied on is believed, once it is checked. */
import { z } from 'zod';
import type { LoopEvent } from '../../machines/index.ts';

/** What does not hold, and where. */
export interface Violation {
  /** Of the journal, from 1; for a history, the message, from 1. */
  readonly line: number;
  /** Of docs/verify.md, 1 to 7; 0: the line is none that a journal knows. */
  readonly invariant: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
  /** One sentence for people. It may hold text of the journal: make it visible before it is shown. */
  readonly message: string;
}

const count = z.int().min(0);
const amount = z.object({ nanoUsd: count, tokens: count });
const call = z.object({
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
  fingerprint: z.string(),
  inputHash: z.string(),
  verdict: z.enum(['allow', 'ask', 'deny', 'invalid']),
});

const block = z.looseObject({ type: z.string() });
const message = z.object({ content: z.array(block), stopReason: z.string().nullable() });
const billed = {
  at: z.string(),
  request: z.enum(['turn', 'summary']),
  usage: z.looseObject({}).nullable(),
  billing: z.enum(['reported', 'partial', 'unknown', 'none']),
  maxTokens: count,
  heard: count,
  cost: amount,
  nextCost: amount,
  summaryCost: amount,
};
const responded = { ...billed, message, instruction: z.string().nullable() };
const calls = z.array(call);

const fact = z.discriminatedUnion('type', [
  z.object({ type: z.literal('model.answered'), ...responded, calls }),
  z.object({ type: z.literal('model.called_tools'), ...responded, calls }),
  z.object({ type: z.literal('model.paused'), ...responded }),
  z.object({ type: z.literal('model.truncated'), ...responded, calls, canGrow: z.boolean() }),
  z.object({ type: z.literal('model.refused'), ...responded }),
  z.object({ type: z.literal('model.overflowed'), ...responded }),
  z.object({
    type: z.literal('model.failed'),
    ...billed,
    isRetryable: z.boolean(),
    reason: z.enum(['model_failed', 'context_window']),
  }),
  z.object({ type: z.literal('retry.due'), at: z.string() }),
  z.object({
    type: z.literal('approval.decided'),
    at: z.string(),
    callId: z.string(),
    inputHash: z.string(),
    decision: z.enum(['approve', 'deny']),
    edited: z.object({ input: z.unknown(), inputHash: z.string() }).nullable(),
  }),
  z.object({ type: z.literal('tool.started'), at: z.string(), callId: z.string() }),
  z.object({
    type: z.literal('tool.finished'),
    at: z.string(),
    callId: z.string(),
    outcome: z.object({
      kind: z.enum(['succeeded', 'failed', 'denied', 'timed_out', 'interrupted', 'not_run']),
      content: z.string(),
    }),
    promptCost: amount,
  }),
  z.object({ type: z.literal('limit.raised'), at: z.string(), turns: z.int() }),
  z.object({ type: z.literal('limit.kept'), at: z.string() }),
  z.object({
    type: z.literal('user.interjected'),
    at: z.string(),
    text: z.string(),
    promptCost: amount,
  }),
  z.object({
    type: z.literal('run.aborted'),
    at: z.string(),
    cause: z.enum(['signal', 'user', 'deadline']),
    usage: z.looseObject({}).nullable(),
    billing: z.enum(['reported', 'partial', 'unknown', 'none']),
    cost: amount,
  }),
]);

const price = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite5m: z.number(),
  cacheWrite1h: z.number(),
});

const header = z.object({
  type: z.literal('run.started'),
  format: z.literal(1),
  at: z.string(),
  runId: z.string(),
  task: z.string(),
  system: z.string(),
  model: z.string(),
  effort: z.string().nullable(),
  maxTokens: count,
  tools: z.array(z.looseObject({ name: z.string() })),
  limits: z.object({
    maxTurns: count,
    budget: z.object({ nanoUsd: count.nullable(), tokens: count.nullable() }),
    maxRetries: count,
    maxGrowths: count,
    maxContinuations: count,
    stuckAfter: count,
  }),
  onLimit: z.enum(['summarise', 'stop', 'ask']),
  price: price.extend({ above: z.object({ promptTokens: count, price }).optional() }).nullable(),
  nextCost: amount,
  summaryCost: amount,
});

const ended = z.object({
  type: z.literal('run.ended'),
  at: z.string(),
  result: z.discriminatedUnion('state', [
    z.object({
      state: z.literal('stopped'),
      reason: z.string(),
      turns: count,
      summary: z.string().nullable(),
      costUsd: z.number().nullable(),
      answer: z.string(),
    }),
    z.object({ state: z.literal('waiting'), callIds: z.array(z.string()) }),
  ]),
});

const resumed = z.object({ type: z.literal('run.resumed'), at: z.string() });

export type Header = z.infer<typeof header>;
export type VerifiedFact = z.infer<typeof fact>;
export type Ended = z.infer<typeof ended>;

/** A line that a journal may have, and where it stands. */
export type Placed<Line> = Line & { readonly line: number };

export interface ParsedJournal {
  readonly header: Placed<Header> | null;
  readonly facts: readonly Placed<VerifiedFact>[];
  readonly ends: readonly Placed<Ended>[];
  /** Types in order, where they could be read. */
  readonly order: readonly Placed<{ readonly type: string }>[];
  readonly violations: readonly Violation[];
}

const KINDS = { 'run.started': header, 'run.resumed': resumed, 'run.ended': ended } as const;

/** Reads lines, whatever they are. What cannot be read is a violation and is left out. */
export function parseJournal(lines: readonly unknown[]): ParsedJournal {
  const journal = {
    header: null as Placed<Header> | null,
    facts: [] as Placed<VerifiedFact>[],
    ends: [] as Placed<Ended>[],
    order: [] as Placed<{ type: string }>[],
    violations: [] as Violation[],
  };
  for (const [index, value] of lines.entries()) {
    const line = index + 1;
    const type = typeOf(value);
    const schema = type in KINDS ? KINDS[type as keyof typeof KINDS] : fact;
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      journal.violations.push({ line, invariant: 0, message: problemOf(type, parsed.error) });
      continue;
    }
    const data = { ...parsed.data, line };
    journal.order.push(data);
    if (data.type === 'run.started') journal.header ??= data;
    else if (data.type === 'run.ended') journal.ends.push(data);
    else if (data.type !== 'run.resumed') journal.facts.push(data);
  }
  return journal;
}

const typeOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'type' in value ? String(value.type) : '';

function problemOf(type: string, { issues: [issue] }: z.ZodError): string {
  const where = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`;
  if (issue?.code === 'invalid_union' || type === '') {
    return type === ''
      ? 'This is no line of a journal.'
      : `No line of a journal is called ${JSON.stringify(type)}.`;
  }
  return `This is no ${type}: ${issue?.message ?? 'it cannot be read'}${where}.`;
}

/** What the machine reads of a fact: the rest of it is of no concern to it. */
export const eventOf = (placed: Placed<VerifiedFact>): LoopEvent => placed;
