import { messageOf } from '../errors.ts';
import { cutHead } from '../text/cut.ts';
import type { Redactor } from '../text/redact.ts';

const MAX_LINE = 500;

/** What was thrown, in one line. It need not be an error, nor have a text at all. */
export function lineOf(error: unknown, redact: Redactor): string {
  try {
    // Before the cut: it may go through a secret.
    const line = redact(messageOf(error))
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim();
    return line === '' ? 'no reason was given' : cutHead(line, MAX_LINE);
  } catch {
    return 'no reason was given';
  }
}
