/** `turnstile verify FILE`: a journal, a transcript, or a history from elsewhere, held against the invariants. */
import { readFile } from 'node:fs/promises';
import { messageOf, UserError } from '../errors.ts';
import { visibleLine } from '../text/visible.ts';
import { verifyHistory, verifyJournal, verifyTranscript, type Violation } from '../verify/index.ts';
import { EXIT } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import { jsonOf, writeAll, type Io } from './io.ts';
import { masked, redactorOf } from './masked.ts';

export interface VerifyOptions {
  readonly stateDir: string;
  readonly json?: boolean;
  /** Header `anthropic-version` that a history is held against. */
  readonly apiVersion?: string;
}

/** @returns 0 when all hold, 1 when something does not */
export async function runVerify(path: string, options: VerifyOptions, io: Io): Promise<number> {
  const text = await textOf(path, options);
  // Some editors begin a file with a mark that JSON does not know.
  const checked = masked(check(text.replace(/^\uFEFF/, ''), path, options), redactorOf(io));
  await (options.json ? writeJson(checked, io) : writeLines(checked, path, io));
  return checked.violations.length === 0 ? EXIT.ok : EXIT.internal;
}

/** Of a file, or else of a run's journal. */
async function textOf(path: string, { stateDir }: VerifyOptions): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const run = await findRun(path, stateDir).catch(() => null);
    if (run !== null) return readFile(run.path, 'utf8');
    throw new UserError(`Cannot read ${visibleLine(path)}: ${messageOf(error)}`, { cause: error });
  }
}

const writeJson = ({ kind, violations, isTorn }: Checked, { stdout }: Io): Promise<void> =>
  writeAll(stdout, jsonOf({ kind, violations, is_torn: isTorn }));

async function writeLines({ kind, violations, isTorn }: Checked, path: string, io: Io): Promise<void> {
  const lines = violations.map(
    ({ line, invariant, message }) => `${path}:${line}: ${message} (invariant ${invariant})`,
  );
  await writeAll(io.stdout, lines.map((line) => `${visibleLine(line)}\n`).join(''));
  const torn = isTorn ? ' Its last line is torn and was left out.' : '';
  const places = violations.length === 1 ? 'one place' : `${violations.length} places`;
  const verdict = violations.length === 0 ? 'holds' : `breaks the invariants in ${places}`;
  await writeAll(io.stderr, `${visibleLine(path)} is a ${kind}, and ${verdict}.${torn}\n`);
}

interface Checked {
  readonly kind: 'journal' | 'transcript' | 'history';
  readonly violations: readonly Violation[];
  /** The writer died in the middle of the last line: it was never part of the run. */
  readonly isTorn: boolean;
}

function check(text: string, path: string, { apiVersion }: VerifyOptions): Checked {
  const whole = parsed(text);
  if (isRecord(whole) && 'turns' in whole && 'run_id' in whole)
    return { kind: 'transcript', violations: verifyTranscript(whole), isTorn: false };
  if (Array.isArray(whole) || (isRecord(whole) && 'messages' in whole))
    return { kind: 'history', violations: historyViolations(whole, apiVersion), isTorn: false };
  // Every whole line ends in a newline, so the last piece is empty or torn.
  const rows = text.split('\n');
  const lines = rows.slice(0, -1).map(parsed);
  // A journal may have lost its header: that is for its verifier to say.
  if ([...lines, whole].some((line) => isRecord(line) && FRAME.includes(line['type'])))
    return { kind: 'journal', violations: verifyJournal(lines), isTorn: rows.at(-1) !== '' };
  throw new UserError(
    `${visibleLine(path)} is no journal, no transcript and no history. A journal has a JSON document on each line and begins with run.started; a history is a JSON list of messages, or a document with "messages".`,
  );
}

const FRAME: readonly unknown[] = ['run.started', 'run.ended'];

function historyViolations(history: unknown, version: string | undefined): readonly Violation[] {
  const refusal = verifyHistory(history, { ...(version !== undefined && { version }) });
  return refusal === null ? [] : [{ line: 1, invariant: 1, message: `The API refuses it: ${refusal}` }];
}

/** Undefined: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
