import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** `process.stdin`, or a stream that behaves like it. */
export type Keyboard = Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };

/**
 * One line from the keyboard, as an answer to the question that `ask` shows. Only what is typed after `ask` has
 * resolved counts: what was typed before, and whatever follows the line's end in the same breath, is thrown away.
 * @param ask shows the question; false when nobody can see it
 * @returns null when there is no answer: end of input, `signal`, or a question that nobody saw
 */
export async function askLine(
  keyboard: Keyboard,
  ask: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<string | null> {
  if (signal.aborted || !keyboard.readable) return null;
  const typing = listen(keyboard, signal);
  try {
    await drain(keyboard);
    if (!(await ask())) return null;
    typing.begin();
    return await typing.line;
  } finally {
    typing.stop();
  }
}

interface Typing {
  readonly line: Promise<string | null>;
  /** From now on, what is typed counts. */
  begin(): void;
  stop(): void;
}

function listen(keyboard: Keyboard, signal: AbortSignal): Typing {
  // A character may be spread over two chunks.
  const decoder = new StringDecoder('utf8');
  let typed: string | null = null;
  let answer: (line: string | null) => void = ignore;
  const line = new Promise<string | null>((resolve) => {
    answer = resolve;
  });
  const onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    if (typed === null) return;
    typed += text;
    const end = typed.search(/[\r\n]/);
    if (end >= 0) answer(typed.slice(0, end));
  };
  const onEnd = (): void => answer(null);
  for (const ending of ENDINGS) keyboard.on(ending, onEnd);
  signal.addEventListener('abort', onEnd);
  keyboard.on('data', onData).resume();
  return {
    line,
    begin: () => {
      typed = '';
    },
    stop: () => {
      keyboard.pause().off('data', onData);
      for (const ending of ENDINGS) keyboard.off(ending, onEnd);
      signal.removeEventListener('abort', onEnd);
    },
  };
}

const ENDINGS = ['end', 'close', 'error'] as const;
const ignore = (): void => undefined;

/**
 * Lets everything in that was typed so far. A terminal keeps an unfinished line to itself, and would put it before
 * the answer; for a moment without line editing it hands over that, too.
 */
async function drain(keyboard: Keyboard): Promise<void> {
  keyboard.setRawMode?.(true);
  try {
    await nextPoll();
    await nextPoll();
  } finally {
    keyboard.setRawMode?.(false);
  }
}

/** Twice makes sure that one whole round of the event loop has looked for input. */
const nextPoll = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
