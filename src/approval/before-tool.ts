/** Decisions about calls that a program makes in code, before a call is asked for or run. */
import { messageOf } from '../errors.ts';
import type { BeforeToolPort, Clock, Judgement, Rule, ToolCall } from '../ports.ts';
import { cutHead } from '../text/cut.ts';
import type { Redactor } from '../text/redact.ts';
import { visibleLine } from '../text/visible.ts';

/** A call, and what the rules say of it. */
export type JudgedCall = Pick<ToolCall, 'id' | 'name' | 'input' | 'effects' | 'verdict' | 'rule'>;

type Said = Rule['verdict'] | { readonly verdict: Rule['verdict']; readonly reason?: string | null };

/** Undefined: nothing to say. A reason for a denial is told to the model. */
export type BeforeTool = (
  call: JudgedCall,
  signal: AbortSignal,
) => Said | undefined | Promise<Said | undefined>;

export interface BeforeToolOptions {
  readonly approveAll: boolean;
  readonly clock: Pick<Clock, 'sleep'>;
  /** What the model is told of a denial. */
  readonly refusal: (tool: string, reason: string | null) => string;
  readonly redact: Redactor;
}

/** How long a program may take. */
const TIMEOUT_MS = 10_000;

/**
 * Asks the program about a call that the rules do not forbid. It may tighten what they say, and decide where none of them
 * does. An error, no answer in time, or one that is no verdict is a denial that says so.
 */
export const createBeforeTool =
  (hook: BeforeTool, options: BeforeToolOptions): BeforeToolPort =>
  async (call, judgement, signal) => {
    const settled = new AbortController();
    const waiting = AbortSignal.any([signal, settled.signal]);
    const late = options.clock
      .sleep(TIMEOUT_MS, waiting)
      .then(() =>
        failed(signal.aborted ? 'the run was stopped' : `no answer within ${TIMEOUT_MS / 1_000} s`),
      );
    try {
      return merge(judgement, await Promise.race([answerOf(hook, call, waiting), late]), call.name, options);
    } finally {
      settled.abort();
    }
  };

interface Answer {
  readonly verdict: Rule['verdict'] | null;
  readonly reason: string | null;
}

const failed = (what: string): Answer => ({
  verdict: 'deny',
  reason: `its check of the call did not work (${what})`,
});

async function answerOf(hook: BeforeTool, call: JudgedCall, signal: AbortSignal): Promise<Answer> {
  try {
    const said: unknown = await hook(call, signal);
    // The model wrote it: it may look like a verdict.
    return said !== undefined && said === call.input ? failed('it gave no verdict') : read(said);
  } catch (error) {
    return failed(`it failed: ${lineOf(error)}`);
  }
}

/** What was thrown need not have a text at all. */
function lineOf(error: unknown): string {
  try {
    return visibleLine(messageOf(error));
  } catch {
    return 'no reason was given';
  }
}

/** The answer comes from code that the compiler may never have seen. */
function read(said: unknown): Answer {
  if (said === undefined) return { verdict: null, reason: null };
  const { verdict, reason }: { verdict?: unknown; reason?: unknown } =
    typeof said === 'object' && said !== null ? said : { verdict: said };
  if (verdict !== 'allow' && verdict !== 'ask' && verdict !== 'deny') return failed('it gave no verdict');
  return { verdict, reason: typeof reason === 'string' ? reason : null };
}

const BY = 'beforeTool';
const MAX_REASON = 4_000;

function merge(
  judgement: Judgement,
  { verdict, reason }: Answer,
  tool: string,
  { approveAll, refusal, redact }: BeforeToolOptions,
): Judgement {
  switch (verdict) {
    case null:
      return judgement;
    case 'deny':
      return { ...judgement, verdict, refusal: refusal(tool, maskedReason(reason, redact)), rule: BY };
    case 'ask':
      if (judgement.verdict === 'ask') return judgement.rule == null ? { ...judgement, rule: BY } : judgement;
      return approveAll ? { ...judgement, rule: 'approveAll' } : { ...judgement, verdict, rule: BY };
    case 'allow':
      return judgement.rule == null ? { ...judgement, verdict, rule: BY } : judgement;
  }
}

/** What cannot be masked is not told. */
function maskedReason(reason: string | null, redact: Redactor): string | null {
  if (reason === null || reason.trim() === '') return null;
  try {
    return cutHead(redact(reason.toWellFormed()), MAX_REASON);
  } catch {
    return null;
  }
}
