#!/usr/bin/env -S node --
// The dashes: without them Node takes --env-file for itself, wherever it stands (docs/decisions/dotenv.md).
import { UserError, messageOf } from '../errors.ts';
import { visible } from '../text/visible.ts';
import { EXIT } from './exit-codes.ts';
import { ignoreBrokenPipe, writeAll } from './io.ts';
import { runProgram } from './program.ts';

ignoreBrokenPipe(process.stdout);
ignoreBrokenPipe(process.stderr);
process.exitCode = await runProgram(process.argv.slice(2), process).catch(async (error: unknown) => {
  const isForUser = error instanceof UserError;
  await writeAll(process.stderr, `turnstile: ${visible(messageOf(error))}\n`);
  return isForUser ? error.exitCode : EXIT.internal;
});
// A model or tool that holds a socket must not keep a finished command alive; what was written is flushed.
process.exit();
