#!/usr/bin/env -S node --
// The dashes: without them Node takes --env-file for itself, wherever it stands (docs/decisions/dotenv.md).
import { fail } from './fail.ts';
import { leaveErrorsToWriters } from './io.ts';
import { runProgram } from './program.ts';

leaveErrorsToWriters(process.stdout);
leaveErrorsToWriters(process.stderr);
const args = process.argv.slice(2);
process.exitCode = await runProgram(args, process).catch((error: unknown) => fail(error, args, process));
// A model or tool that holds a socket must not keep a finished command alive; what was written is flushed.
process.exit();
