import type { StopReason } from '../../machines/index.ts';
import type { RunResult } from '../ports.ts';

/** Exit codes of the command; docs/cli.md lists them for users. */
export const EXIT = { ok: 0, internal: 1, usage: 2, waiting: 8 } as const;

const OF_REASON: Readonly<Record<StopReason, number>> = {
  end_turn: 0,
  max_turns: 3,
  budget: 4,
  deadline: 4,
  refusal: 5,
  max_tokens: 6,
  context_window: 6,
  model_failed: 7,
  stuck: 9,
  aborted: 10,
};

const OF_SIGNAL: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** The one place where an exit code comes from. A run that a signal ended, or left waiting, has the signal's code. */
export function exitCodeOf(result: RunResult, signal: string | null): number {
  const bySignal = signal === null ? undefined : OF_SIGNAL[signal];
  if (result.state === 'waiting') return bySignal ?? EXIT.waiting;
  return result.reason === 'aborted' ? (bySignal ?? OF_REASON.aborted) : OF_REASON[result.reason];
}

export const exitCodeOfSignal = (signal: string): number => OF_SIGNAL[signal] ?? EXIT.internal;
