/** What is shown of a run. Text of the model is recorded as it is, and masked on its way to a screen. */
import type { RunEvent } from '../events.ts';
import { createRedactor, pieceMask, redactJson, secretsOf, type Redactor } from '../text/redact.ts';
import type { Io } from './io.ts';

/** For commands that have no other secrets than those of the environment. */
export const redactorOf = ({ env }: Pick<Io, 'env'>): Redactor => createRedactor(secretsOf(env));

/** A value of JSON with its texts masked. */
export const masked = <T>(value: T, redact: Redactor): T =>
  // Its shape stays: texts become other texts.
  redactJson(value, redact) as T;

/** Facts, and the text of answers as it streams: a secret may begin in one piece of it and end in a later one. */
export async function* maskedEvents(
  events: AsyncIterable<RunEvent>,
  redact: Redactor,
): AsyncGenerator<RunEvent> {
  let mask = pieceMask(redact);
  for await (const event of events) {
    if (event.type === 'text.delta') yield { ...event, text: mask.push(event.text) };
    else if (event.type !== 'thinking.delta' && event.type !== 'tool_input.delta') {
      yield { type: 'text.delta', text: mask.end({ isCut: false }) };
      mask = pieceMask(redact);
      yield masked(event, redact);
    }
  }
}
