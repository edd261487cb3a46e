/** What a verifier relies on of each line. All else in a line is unread. */
import { z } from 'zod';

const count = z.int().min(0);
const amount = z.object({ nanoUsd: count, tokens: count });
/** A cheaper model takes something away. */
const difference = z.object({ nanoUsd: z.int(), tokens: count });

const match = z.looseObject({ argument: z.string() });
const rule = z.object({
  tool: z.string(),
  verdict: z.enum(['allow', 'ask', 'deny']),
  match: match.optional(),
});
/** Journals of before have none. */
const decidingRule = z.string().nullish();
const call = z.object({
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
  fingerprint: z.string(),
  inputHash: z.string(),
  verdict: z.enum(['allow', 'ask', 'deny', 'invalid']),
  rule: decidingRule,
});

/** Far above any price, and low enough for whole numbers of picodollars. */
const usd = z.number().min(0).max(1e9);
const card = z.object({
  input: usd,
  output: usd,
  cacheRead: usd,
  cacheWrite5m: usd,
  cacheWrite1h: usd,
});

const limits = z.object({
  maxTurns: count,
  budget: z.object({ nanoUsd: count.nullable(), tokens: count.nullable() }),
  maxRetries: count,
  maxGrowths: count,
  maxContinuations: count,
  stuckAfter: count,
});

const price = card.extend({ above: z.object({ promptTokens: count, price: card }).optional() }).nullable();
const onLimit = z.enum(['summarise', 'stop', 'ask']);

const block = z.looseObject({ type: z.string() });
const message = z.object({ content: z.array(block), stopReason: z.string().nullable() });
const bill = {
  usage: z.looseObject({}).nullable(),
  billing: z.enum(['reported', 'partial', 'unknown', 'none']),
  cost: amount,
};
const failure = z.looseObject({ message: z.string() });
const promptCost = z.object({ next: amount, summary: amount });
const asked = {
  at: z.string(),
  request: z.enum(['turn', 'summary']),
  ...bill,
  maxTokens: z.int().min(1),
  heard: count,
  nextCost: amount,
  summaryCost: amount,
};
const responded = { ...asked, message, instruction: z.string().nullable() };
const calls = z.array(call);
const of = <Type extends string>(type: Type) => ({ type: z.literal(type), at: z.string() });

const confinement = z.object({
  sandbox: z.enum(['bubblewrap', 'landlock', 'seatbelt', 'none']),
  workdir: z.enum(['ro', 'rw']),
  network: z.boolean(),
  instead: z.string().nullable(),
});
const confinements = z.record(z.string(), confinement);

export const factSchema = z.discriminatedUnion('type', [
  z.object({ ...of('model.answered'), ...responded, calls }),
  z.object({ ...of('model.called_tools'), ...responded, calls }),
  z.object({ ...of('model.paused'), ...responded }),
  z.object({ ...of('model.truncated'), ...responded, calls, canGrow: z.boolean() }),
  z.object({ ...of('model.refused'), ...responded }),
  z.object({ ...of('model.overflowed'), ...responded }),
  z.object({
    ...of('model.failed'),
    ...asked,
    isRetryable: z.boolean(),
    reason: z.enum(['model_failed', 'context_window']),
    failure,
  }),
  z.object(of('retry.due')),
  z.object({
    ...of('approval.decided'),
    callId: z.string(),
    inputHash: z.string(),
    by: z.string(),
    decision: z.enum(['approve', 'deny']),
    edited: z.object({ input: z.unknown(), inputHash: z.string() }).nullable(),
  }),
  z.object({ ...of('tool.started'), callId: z.string() }),
  z.object({
    ...of('tool.finished'),
    callId: z.string(),
    outcome: z.object({
      kind: z.enum(['succeeded', 'failed', 'denied', 'timed_out', 'interrupted', 'not_run']),
      content: z.string(),
    }),
    promptCost,
  }),
  z.object({ ...of('limit.raised'), turns: z.int() }),
  z.object(of('limit.kept')),
  z.object({ ...of('user.interjected'), text: z.string(), promptCost }),
  z.object({
    ...of('run.aborted'),
    cause: z.enum(['signal', 'user', 'deadline']),
    ...bill,
    abortedRequest: asked.request.nullable(),
  }),
  z.object({
    ...of('run.resumed'),
    ...bill,
    abortedRequest: asked.request.nullable(),
    limits,
    onLimit,
    model: z.string(),
    price,
    rules: z.array(rule),
    workdir: z.string().nullable().optional(),
    confinements: confinements.optional(),
    words: z.array(z.string()),
    hasWords: z.boolean(),
    judgements: z.array(
      z.object({
        callId: z.string(),
        verdict: call.shape.verdict,
        rule: decidingRule,
        isDecisionKept: z.boolean(),
      }),
    ),
    promptCost: z.object({ next: difference, summary: difference }),
  }),
]);

export const headerSchema = z.object({
  ...of('run.started'),
  format: z.literal(1),
  runId: z.string(),
  task: z.string(),
  system: z.string(),
  model: z.string(),
  maxTokens: count,
  tools: z.array(z.looseObject({ name: z.string() })),
  confinements: confinements.optional(),
  limits,
  onLimit,
  rules: z.array(rule),
  forkOf: z.object({ runId: z.string(), lines: count }).optional(),
  price,
  nextCost: amount,
  summaryCost: amount,
});

export const endSchema = z.object({
  ...of('run.ended'),
  result: z.discriminatedUnion('state', [
    z.object({
      state: z.literal('stopped'),
      runId: z.string(),
      reason: z.string(),
      turns: count,
      summary: z.string().nullable(),
      usage: z.object({
        inputTokens: count,
        outputTokens: count,
        cacheReadTokens: count,
        cacheWriteTokens: count,
      }),
      costUsd: z.number().nullable(),
      isUsageIncomplete: z.boolean(),
      answer: z.string(),
      answerFrom: z.enum(['closing_turn', 'earlier_turn', 'none']),
      stopReason: z.string().nullable(),
      failure: failure.nullable(),
      unread: z.array(z.string()),
    }),
    z.object({ state: z.literal('waiting'), runId: z.string(), callIds: z.array(z.string()) }),
  ]),
});

export type Header = z.infer<typeof headerSchema>;
export type VerifiedFact = z.infer<typeof factSchema>;
export type FactOf<Type extends VerifiedFact['type']> = Extract<VerifiedFact, { type: Type }>;
export type End = z.infer<typeof endSchema>;
export type Stopped = Extract<End['result'], { state: 'stopped' }>;
