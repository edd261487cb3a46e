import type { AgentRun } from '../agent-run.ts';
import { exitCodeOfSignal } from './exit-codes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface SignalWatch {
  /** The signal that ended the run, if one did. */
  readonly received: () => string | null;
  readonly stop: () => void;
}

/** The first signal stops the run cleanly and keeps everything; the second ends the process at once. */
export function watchSignals(run: Pick<AgentRun, 'interrupt'>, say: (text: string) => void): SignalWatch {
  let received: string | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (received !== null) process.exit(exitCodeOfSignal(signal));
    received = signal;
    say(`${signal}: stopping. Once more to stop at once.`);
    run.interrupt(signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    received: () => received,
    stop: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
