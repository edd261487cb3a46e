import { describe, expect, it, onTestFinished } from 'vitest';
import { watchSignals } from '../../src/cli/signals.ts';

type Sent = readonly [signal: NodeJS.Signals, atMs: number];

/** What comes of these signals: who was interrupted, and the exit codes of a process that would have ended. */
function after(sent: readonly Sent[]) {
  const seen = { interrupts: [] as string[], exits: [] as unknown[], said: [] as string[] };
  let ms = 0;
  const watch = watchSignals(
    { interrupt: (signal) => seen.interrupts.push(signal) },
    (text) => seen.said.push(text),
    {
      now: () => ms,
      exit: (code) => {
        seen.exits.push(code);
        return undefined as never;
      },
    },
  );
  onTestFinished(watch.stop);
  for (const [signal, at] of sent) {
    ms = at;
    process.emit(signal, signal);
  }
  return { ...seen, received: watch.received() };
}

describe('signals', () => {
  it.each<{ what: string; sent: readonly Sent[]; exits: readonly number[] }>([
    { what: 'one Ctrl-C', sent: [['SIGINT', 0]], exits: [] },
    {
      what: 'Ctrl-C, and once more',
      sent: [
        ['SIGINT', 0],
        ['SIGINT', 1_000],
      ],
      exits: [130],
    },
    {
      what: 'Ctrl-C that was passed on as well',
      sent: [
        ['SIGINT', 0],
        ['SIGINT', 20],
      ],
      exits: [],
    },
    {
      what: 'Ctrl-C that was passed on, and once more',
      sent: [
        ['SIGINT', 0],
        ['SIGINT', 20],
        ['SIGINT', 900],
      ],
      exits: [130],
    },
    {
      what: 'a terminal that closes',
      sent: [
        ['SIGHUP', 0],
        ['SIGHUP', 5],
        ['SIGHUP', 1_000],
      ],
      exits: [],
    },
    {
      what: 'a terminal that closes behind Ctrl-C',
      sent: [
        ['SIGINT', 0],
        ['SIGHUP', 900],
      ],
      exits: [],
    },
    {
      what: 'an end that is asked for twice',
      sent: [
        ['SIGTERM', 0],
        ['SIGTERM', 900],
      ],
      exits: [143],
    },
    {
      what: 'a session that ends',
      sent: [
        ['SIGTERM', 0],
        ['SIGHUP', 0],
      ],
      exits: [],
    },
  ])('of $what: stop the run once, and end the process with $exits', ({ sent, exits }) => {
    const first = sent[0]?.[0];
    expect(after(sent)).toMatchObject({ interrupts: [first], exits, received: first });
  });

  it.each([
    { signal: 'SIGINT', says: 'SIGINT: stopping. Once more to stop at once.' },
    { signal: 'SIGHUP', says: 'SIGHUP: stopping.' },
  ] as const)('$signal says $says', ({ signal, says }) => {
    expect(after([[signal, 0]]).said).toEqual([says]);
  });

  it('that come when the run has ended: a hang-up lets the rest be said', () => {
    const before = process.listeners('SIGHUP');
    const interrupts = process.listeners('SIGINT');
    const watch = watchSignals({ interrupt: () => undefined }, () => undefined);
    process.emit('SIGINT', 'SIGINT');
    watch.stop();
    const kept = process.listeners('SIGHUP').filter((listener) => !before.includes(listener));
    for (const listener of kept) process.off('SIGHUP', listener);
    expect(kept).toHaveLength(1);
    expect(process.listeners('SIGINT')).toEqual(interrupts);
  });
});
