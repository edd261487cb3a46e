/** What the tests of processes share. Linux: processes are looked for in /proc. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Ids of processes that have `word` among their arguments. A dead one has none. */
export const processesWith = (word: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
    } catch {
      return false;
    }
  });

export interface Family {
  /** Stands in the arguments of each descendant. */
  readonly word: string;
  /** Python that starts a descendant and waits until it runs. `rest` follows. */
  readonly code: (rest: string) => string;
}

const IGNORE_TERM = 'signal.signal(signal.SIGTERM, signal.SIG_IGN)';

/** How a descendant can try to outlive its call. `body` runs first in it, `start` starts it. */
export const ESCAPES = [
  { how: 'a grandchild', start: 'subprocess.Popen(args)', body: '' },
  { how: 'a grandchild that ignores TERM', start: 'subprocess.Popen(args)', body: IGNORE_TERM },
  {
    how: 'one in a session of its own',
    start: 'subprocess.Popen(args, start_new_session=True)',
    body: IGNORE_TERM,
  },
  {
    how: 'a double fork that left the group',
    start: 'os.fork() or (os.setsid(), os.fork() and os._exit(0), os.execv(sys.executable, args))',
    body: '',
  },
  {
    how: 'one that floods the output from a session of its own',
    start: 'subprocess.Popen(args, start_new_session=True)',
    body: 'threading.Thread(target=lambda: [print("x" * 1000, flush=True) for _ in iter(int, 1)], daemon=True).start()',
  },
] as const;

export function family({ start, body }: { readonly start: string; readonly body: string }): Family {
  const word = `family-${randomUUID()}`;
  const descendant = [
    'import signal, threading, time',
    body,
    'open("ready.txt", "w").close()',
    'time.sleep(20)',
  ].join('\n');
  return {
    word,
    code: (rest) =>
      [
        'import os, subprocess, sys, time',
        `args = [sys.executable, "-c", ${JSON.stringify(descendant)}, "${word}"]`,
        start,
        'while not os.path.exists("ready.txt"): time.sleep(0.01)',
        'print("ready")',
        rest,
      ].join('\n'),
  };
}
