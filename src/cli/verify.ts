/** `turnstile verify FILE`: a journal, a transcript, or a history from elsewhere, held against the invariants. */
import { readFile } from 'node:fs/promises';
import { messageOf, UserError } from '../errors.ts';
import { visibleLine } from '../text/visible.ts';
import { verifyHistory, verifyJournal, verifyTranscript, type Violation } from '../verify/index.ts';
import { EXIT } from './exit-codes.ts';
import { writeAll, type Io } from './io.ts';

/** @returns 0 when all hold, 1 when something does not */
export async function runVerify(
  path: string,
  { json = false }: { readonly json?: boolean },
  io: Io,
): Promise<number> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UserError(`Cannot read ${visibleLine(path)}: ${messageOf(error)}`);
  });
  const { kind, violations, isTorn } = check(text, path);
  if (json) {
    await writeAll(io.stdout, `${JSON.stringify({ kind, violations, is_torn: isTorn })}\n`);
  } else {
    const lines = violations.map(
      ({ line, invariant, message }) => `${path}:${line}: ${message} (invariant ${invariant})`,
    );
    await writeAll(io.stdout, lines.map((line) => `${visibleLine(line)}\n`).join(''));
    const torn = isTorn ? ' Its last line is torn and was left out.' : '';
    const count = violations.length === 0 ? 'holds' : `breaks the invariants in ${violations.length} places`;
    await writeAll(io.stderr, `${visibleLine(path)} is a ${kind}, and ${count}.${torn}\n`);
  }
  return violations.length === 0 ? EXIT.ok : EXIT.internal;
}

interface Checked {
  readonly kind: 'journal' | 'transcript' | 'history';
  readonly violations: readonly Violation[];
  /** The writer died in the middle of the last line: it was never part of the run. */
  readonly isTorn: boolean;
}

function check(text: string, path: string): Checked {
  const whole = parsed(text);
  if (isRecord(whole) && whole['type'] !== 'run.started')
    return { ...checkDocument(whole, path), isTorn: false };
  if (Array.isArray(whole))
    return { kind: 'history', violations: historyOf({ messages: whole }), isTorn: false };
  // Every whole line ends in a newline, so the last piece is empty or torn.
  const rows = text.split('\n');
  const first = parsed(rows[0] ?? '');
  if (!isRecord(first) || first['type'] !== 'run.started') {
    throw new UserError(
      `${visibleLine(path)} is no journal, no transcript and no history. A journal begins with a line of type run.started; a history is a JSON list of messages, or a request with "messages".`,
    );
  }
  const lines = rows.slice(0, -1).map(parsed);
  return { kind: 'journal', violations: verifyJournal(lines), isTorn: rows.at(-1) !== '' };
}

function checkDocument(document: Readonly<Record<string, unknown>>, path: string): Omit<Checked, 'isTorn'> {
  if ('turns' in document && 'run_id' in document) {
    return { kind: 'transcript', violations: verifyTranscript(document) };
  }
  if (!Array.isArray(document['messages'])) {
    throw new UserError(
      `${visibleLine(path)} is JSON, but has no "messages": it is no transcript, no request and no history.`,
    );
  }
  return { kind: 'history', violations: historyOf(document) };
}

/** The history of a loop may end with what the model said: it is asked whether it can go on from there. */
function historyOf(body: Readonly<Record<string, unknown>>): readonly Violation[] {
  const refusal = verifyHistory(body);
  return refusal === null ? [] : [{ line: 1, invariant: 1, message: `The API would refuse it: ${refusal}` }];
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
