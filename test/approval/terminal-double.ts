import { PassThrough } from 'node:stream';
import { createTerminalApprover, type TerminalApproverOptions } from '../../src/approval/terminal.ts';
import { createScreen } from '../../src/approval/screen.ts';
import type { ToolCall } from '../../src/ports.ts';

class FakeKeyboard extends PassThrough {
  readonly isTTY = true;
  readonly rawModes: boolean[] = [];

  setRawMode(isRaw: boolean): this {
    this.rawModes.push(isRaw);
    return this;
  }
}

const ignore = (): void => undefined;

/** A terminal with a person who reads first: `until` resolves once the screen shows a text after the last such text. */
export function fakeTerminal(options: Partial<TerminalApproverOptions> = {}) {
  const keyboard = new FakeKeyboard();
  const output = new PassThrough();
  const screen = createScreen(output);
  const approver = createTerminalApprover({ keyboard, screen, ...options });
  let shown = '';
  let read = 0;
  let look = ignore;
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    look();
  });
  const until = (text: string): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        const at = shown.indexOf(text, read);
        if (at < 0) return;
        read = at + text.length;
        // A person's eyes are slower than the callback of a write.
        setImmediate(resolve);
      };
      look();
    });
  const answer = async (keys: string): Promise<void> => {
    await until(QUESTION_END);
    keyboard.write(keys);
  };
  return { keyboard, output, screen, approver, until, answer, shown: () => shown };
}

export const QUESTION_END = '(a reason may follow n): ';

export const callOf = (input: unknown, name = 'run_python', id = 'toolu_1'): ToolCall => ({
  id,
  name,
  input,
  fingerprint: 'f',
  inputHash: 'h',
  verdict: 'ask',
  effects: 'some',
  refusal: null,
});

export const never = new AbortController().signal;
