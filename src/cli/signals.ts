import type { AgentRun } from '../agent-run.ts';
import { exitCodeOfSignal } from './exit-codes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface SignalWatch {
  /** The signal that ended the run, if one did. */
  readonly received: () => string | null;
  readonly stop: () => void;
}

/** Whoever starts programs may pass on a signal that the terminal has sent to all of them already: `npx` does. */
const ONE_GESTURE_MS = 300;

/**
 * The first signal stops the run cleanly and keeps everything; one more ends the process at once. Not a hang-up: a terminal
 * that closes sends it, and its shell sends it again.
 */
export function watchSignals(
  run: Pick<AgentRun, 'interrupt'>,
  say: (text: string) => void,
  { now, exit }: Pick<typeof performance, 'now'> & Pick<NodeJS.Process, 'exit'> = {
    now: () => performance.now(),
    exit: (code) => process.exit(code),
  },
): SignalWatch {
  let first: { readonly signal: string; readonly at: number } | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (first === null) {
      first = { signal, at: now() };
      say(`${signal}: stopping.${signal === 'SIGHUP' ? '' : ' Once more to stop at once.'}`);
      run.interrupt(signal);
    } else if (signal !== 'SIGHUP' && now() - first.at > ONE_GESTURE_MS) exit(exitCodeOfSignal(signal));
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    received: () => first?.signal ?? null,
    stop: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
      // Its shell may repeat the hang-up later than that: what is still to be said and closed takes a moment.
      if (first !== null) process.on('SIGHUP', () => undefined);
    },
  };
}
