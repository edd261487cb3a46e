/** What is said when a command ends with an error instead of a result. */
import { UserError, messageOf } from '../errors.ts';
import { createRedactor, secretsOf } from '../text/redact.ts';
import { visible } from '../text/visible.ts';
import { EXIT } from './exit-codes.ts';
import { jsonOf, writeAll, type Io } from './io.ts';

/**
 * One line on stderr, and on stdout the JSON that was asked for.
 * @param args as they were given: what is wrong may be the options themselves
 * @returns the exit code
 */
export async function fail(error: unknown, args: readonly string[], io: Io): Promise<number> {
  const code = error instanceof UserError ? error.exitCode : EXIT.internal;
  const message = createRedactor(secretsOf({ ...io.env, args: args.join(' ') }))(messageOf(error));
  await tell(io.stderr, `turnstile: ${visible(message)}\n`);
  const document = { state: 'failed', error: { message }, exit_code: code };
  const output = outputIn(args);
  if (output === 'json') await tell(io.stdout, jsonOf(document));
  if (output === 'stream-json') {
    await tell(io.stdout, jsonOf({ type: 'run.ended', result: document }));
  }
  return code;
}

/** What cannot be written may be the very error that is told. */
const tell = (stream: Io['stdout'], text: string): Promise<void> =>
  writeAll(stream, text).catch(() => undefined);

/** Value of the last `--output`; what stands behind `--` is no option. */
function outputIn(args: readonly string[]): string | undefined {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  const values = options.flatMap((option, index) => {
    if (option === '--output') return [options[index + 1]];
    return option.startsWith('--output=') ? [option.slice('--output='.length)] : [];
  });
  return values.at(-1);
}
