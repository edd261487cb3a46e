/** What a person types while a run works, line by line. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { Keyboard } from '../approval/ask-line.ts';
import type { Approver } from '../ports.ts';

export interface TypedLines {
  /** The same approver; what is typed while it asks is its answer, and nothing else. */
  around(approver: Approver): Approver;
  stop(): void;
}

/** Listens to a keyboard until it is stopped. Blank lines are nobody's words. */
export function listenForLines(keyboard: Keyboard, onLine: (line: string) => void): TypedLines {
  // A character may be spread over two chunks.
  let decoder = new StringDecoder('utf8');
  let typed = '';
  let dialogs = 0;
  const onData = (chunk: Buffer | string): void => {
    if (dialogs > 0) return;
    const pieces = (typed + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split(/[\r\n]+/);
    typed = pieces.pop() ?? '';
    for (const line of pieces) if (line.trim() !== '') onLine(line.trim());
  };
  const open = (): void => {
    dialogs += 1;
    typed = '';
    decoder = new StringDecoder('utf8');
  };
  // A dialog leaves the keyboard paused.
  const close = (): void => {
    dialogs -= 1;
    if (dialogs === 0) keyboard.resume();
  };
  const duringDialog = async <T>(dialog: () => Promise<T>): Promise<T> => {
    open();
    return dialog().finally(close);
  };
  keyboard.on('data', onData).on('error', ignore).resume();
  return {
    around: (approver) => {
      const raise = approver.raiseLimit?.bind(approver);
      return {
        decide: async (call, signal, preview) => duringDialog(() => approver.decide(call, signal, preview)),
        ...(raise && { raiseLimit: async (turns, signal) => duringDialog(() => raise(turns, signal)) }),
      };
    },
    stop: () => {
      keyboard.off('data', onData).off('error', ignore).pause();
    },
  };
}

const ignore = (): void => undefined;

/** Whether this process may read from its terminal: one in the background would be stopped for it. */
export function isInForeground(): boolean {
  if (process.platform === 'win32') return true;
  try {
    if (process.platform === 'linux') {
      // "pid (name) state parent group session terminal foreground-group …": `ps` may be missing.
      const stat = readFileSync('/proc/self/stat', 'latin1');
      const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return group === foreground;
    }
    const state = execFileSync('/bin/ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' });
    return state.includes('+');
  } catch {
    return false; // Nobody can tell.
  }
}
