/** Approvers that ask nobody at a terminal. */
import { messageOf } from '../errors.ts';
import type { Approver, Clock, Decision, Preview, ToolCall } from '../ports.ts';
import { visibleLine } from '../text/visible.ts';

const NO_TERMINAL =
  'There is no terminal to ask on; the user can run it again with --yes to approve. ' +
  'Go on without this call, or say in your answer what you would have run and why.';

/** Denies every call. `reason` is written for the model: why, and what to do now. */
export const denyAll = (reason = NO_TERMINAL): Approver => ({
  decide: () => Promise.resolve({ decision: 'deny', by: 'nobody', reason }),
});

/** Stops the run at the first call that needs a decision. */
export const failOnAsk = (): Approver => ({
  decide: () => Promise.resolve({ decision: 'quit', by: 'on-ask fail' }),
});

/** Ends the run at the first call that needs a decision; it waits, and goes on when somebody has decided. */
export const pauseOnAsk = (): Approver => ({
  decide: () => Promise.resolve({ decision: 'wait' }),
});

/** Approves every call: the person who started the run said so. */
export const approveAll = (): Approver => ({
  decide: () => Promise.resolve({ decision: 'approve', by: 'flag' }),
});

/** What a program may say of a call. */
export type HostDecision =
  | { readonly decision: 'approve'; readonly edited?: unknown }
  | { readonly decision: 'deny'; readonly reason?: string | null }
  | { readonly decision: 'quit' }
  | { readonly decision: 'wait' };

/** `preview` says what the call would change, where its tool can tell: a diff, say. */
export type ApproveFunction = (
  call: ToolCall,
  signal: AbortSignal,
  preview: Preview,
) => HostDecision | Promise<HostDecision>;

export interface FromFunctionOptions {
  /** How long the function may take; a longer wait is a denial. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'sleep'>;
}

/**
 * Asks a function of the host. Only a clear answer approves: an error, no answer in time or anything else than a
 * decision is a denial that says so. The function's signal fires when its answer is no longer waited for.
 */
export const fromFunction = (
  approve: ApproveFunction,
  { timeoutMs, clock }: FromFunctionOptions,
): Approver => ({
  async decide(call, signal, preview = nothing) {
    const settled = new AbortController();
    const waiting = AbortSignal.any([signal, settled.signal]);
    const late = clock
      .sleep(timeoutMs, waiting)
      .then((): Decision =>
        signal.aborted ? { decision: 'wait' } : denial(`it gave no answer within ${timeoutMs / 1_000} s`),
      );
    try {
      return await Promise.race([answerOf(call, () => approve(call, waiting, preview)), late]);
    } finally {
      settled.abort();
    }
  },
});

async function answerOf({ input }: ToolCall, ask: () => ReturnType<ApproveFunction>): Promise<Decision> {
  try {
    const answer: unknown = await ask();
    // The model wrote it: it may look like a decision.
    return answer !== null && answer === input ? denial(NO_DECISION) : decisionFrom(answer);
  } catch (error) {
    return denial(`it failed: ${visibleLine(messageOf(error))}`);
  }
}

const nothing: Preview = () => Promise.resolve(null);

/** The answer comes from code that the compiler may never have seen. */
function decisionFrom(answer: unknown): Decision {
  const fields: { decision?: unknown; edited?: unknown; reason?: unknown } =
    typeof answer === 'object' && answer !== null ? answer : {};
  switch (fields.decision) {
    case 'approve':
      return fields.edited === undefined ? APPROVED : { ...APPROVED, edited: fields.edited };
    case 'deny':
      return {
        decision: 'deny',
        by: 'host',
        reason: typeof fields.reason === 'string' ? fields.reason.toWellFormed() : null,
      };
    case 'quit':
      return { decision: 'quit', by: 'host' };
    case 'wait':
      return { decision: 'wait' };
    default:
      return denial(NO_DECISION);
  }
}

const NO_DECISION = 'its answer was no decision';

const APPROVED = { decision: 'approve', by: 'host' } as const;

const denial = (what: string): Decision => ({
  decision: 'deny',
  by: 'nobody',
  reason: `The program that should approve this call did not: ${what}.`,
});
