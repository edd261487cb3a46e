/** A transcript is a document for readers; what it can be held against is less than of a journal. */
import { z } from 'zod';
import { verifyHistory } from './history.ts';
import { plainOf } from './plain.ts';
import { shown, type Violation } from './violation.ts';

const transcript = z.object({
  model: z.string(),
  messages: z.array(z.looseObject({})),
  turns: z.array(
    z.object({
      requests: z.array(z.object({ cost_usd: z.number().nullable() })),
      calls: z.array(
        z.object({
          id: z.string(),
          verdict: z.string(),
          decision: z.object({ decision: z.string() }).nullable(),
          started_at: z.string().nullable(),
          outcome: z.string(),
        }),
      ),
    }),
  ),
  result: z
    .object({ state: z.string(), turns: z.number().optional(), cost_usd: z.number().nullish() })
    .nullable(),
});

type Transcript = z.infer<typeof transcript>;

/** @param value of an exported transcript, as parsed from JSON */
export function verifyTranscript(value: unknown): readonly Violation[] {
  const plain = plainOf(value);
  if ('problem' in plain) return [say(`${plain.problem}: it is no transcript.`)];
  const parsed = transcript.safeParse(plain.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    return [
      say(`This is no transcript: ${issue?.message ?? ''}${where === '' ? '' : ` (${shown(where)})`}.`),
    ];
  }
  const { data } = parsed;
  return [...historyViolations(data), ...callViolations(data), ...costViolations(data)];
}

const say = (message: string): Violation => ({ line: 1, invariant: 0, message });

/** Calls that wait for a decision, or whose process died, leave a history that cannot go on yet. */
function historyViolations({ model, messages, turns }: Transcript): readonly Violation[] {
  const isOpen = turns.some(({ calls }) => calls.some(({ outcome }) => outcome === 'open'));
  const refusal = isOpen ? null : verifyHistory({ model, messages });
  return refusal === null
    ? []
    : [{ line: 1, invariant: 1, message: `The API refuses to go on from here: ${refusal}` }];
}

function callViolations({ turns, result }: Transcript): readonly Violation[] {
  return turns
    .flatMap(({ calls }) => calls)
    .flatMap(({ id, verdict, decision, started_at: startedAt, outcome }) => {
      const mayRun = verdict === 'allow' || (verdict === 'ask' && decision?.decision === 'approve');
      const hasRun = startedAt !== null || outcome === 'succeeded';
      return [
        ...(hasRun && !mayRun
          ? [
              {
                line: 1,
                invariant: 2 as const,
                message: `The call ${shown(id)} ran, and nobody had approved it.`,
              },
            ]
          : []),
        ...(outcome === 'open' && result?.state === 'stopped'
          ? [{ line: 1, invariant: 3 as const, message: `The call ${shown(id)} has no result.` }]
          : []),
      ];
    });
}

/** Rounded to nano-dollars: sums of fractions are not exact. An aborted request stands in no turn, so it may be more. */
function costViolations({ turns, result }: Transcript): readonly Violation[] {
  const spent = result?.cost_usd ?? null;
  const costs = turns.flatMap(({ requests }) => requests.map(({ cost_usd: cost }) => cost ?? 0));
  const known = Math.round(costs.reduce((sum, cost) => sum + cost, 0) * 1e9);
  return spent === null || Math.round(spent * 1e9) >= known
    ? []
    : [{ line: 1, invariant: 4, message: `The turns cost more than the ${spent} USD of the result.` }];
}
