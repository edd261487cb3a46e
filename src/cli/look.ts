/** Commands that look at a run: `show`, `export`, `replay`. */
import { isDeepStrictEqual } from 'node:util';
import { isFact } from '../journal/lines.ts';
import { outcomeOf } from '../journal/outcome.ts';
import { readJournal } from '../journal/read.ts';
import { transcriptOf } from '../journal/transcript.ts';
import type { JournalLine } from '../ports.ts';
import { RunState } from '../run-state.ts';
import { storedRun } from '../stored-run.ts';
import { visible, visibleJson, visibleLine } from '../text/visible.ts';
import { EXIT } from './exit-codes.ts';
import { explain } from './explain.ts';
import { findRun } from './find-run.ts';
import { goOnLine } from './go-on.ts';
import { jsonOf, writeAll, type Io } from './io.ts';
import { summaryLine } from './lines.ts';
import { masked, redactorOf } from './masked.ts';
import { timelineOf } from './timeline.ts';

interface Where {
  readonly stateDir: string;
}

const linesOf = async (ref: string, { stateDir }: Where): Promise<readonly JournalLine[]> =>
  readJournal((await findRun(ref, stateDir)).path);

/** The timeline of a run, for people; with `json` its journal as one document. */
export async function show(
  ref: string,
  options: Where & { readonly json?: boolean },
  io: Io,
): Promise<number> {
  const lines = await linesOf(ref, options);
  const redact = redactorOf(io);
  if (options.json) {
    await writeAll(io.stdout, jsonOf(masked(lines, redact)));
    return EXIT.ok;
  }
  const run = storedRun(lines);
  const { header, ended, shown } = masked({ header: run.header, ended: run.ended, shown: lines }, redact);
  const why = ended === null ? null : explain(ended, shown);
  const next = goOnLine(run.ended, lines, options.stateDir);
  const rows = [
    `run ${visibleLine(header.runId)}: ${visibleLine(header.task)}`,
    ...timelineOf(shown),
    ended === null ? 'It has no end: its process died, or is at it.' : summaryLine(ended, header),
    ...(why === null ? [] : [why]),
    ...(next === null ? [] : [next]),
  ];
  // Each part is visible already; nothing that is added later can forget it.
  await writeAll(io.stdout, rows.map((row) => `${visible(row)}\n`).join(''));
  return EXIT.ok;
}

/** The transcript of a run. */
export async function exportRun(ref: string, options: Where, io: Io): Promise<number> {
  const lines = await linesOf(ref, options);
  storedRun(lines);
  await writeAll(
    io.stdout,
    `${visibleJson(JSON.stringify(masked(transcriptOf(lines), redactorOf(io)), null, 2))}\n`,
  );
  return EXIT.ok;
}

/** Lets the machine take every fact again, and compares what it comes to with what was recorded. */
export async function replay(
  ref: string,
  options: Where & { readonly until?: number },
  io: Io,
): Promise<number> {
  const lines = await linesOf(ref, options);
  const until = Math.min(options.until ?? lines.length, lines.length);
  const { header: first } = storedRun(lines.slice(0, until));
  const state = new RunState(first);
  for (const [index, line] of lines.slice(0, until).entries()) {
    if (isFact(line)) state.take(line);
    const { snapshot, header, facts } = state;
    const count = index + 1;
    const value = typeof snapshot.value === 'string' ? snapshot.value : JSON.stringify(snapshot.value);
    await writeAll(io.stdout, `${String(count).padStart(5)}  ${line.type.padEnd(20)}  ${value}\n`);
    if (line.type !== 'run.ended' || line.result.state !== 'stopped' || snapshot.output === undefined)
      continue;
    const { unread: _, ...recorded } = line.result;
    const { unread: __, ...again } = outcomeOf(header, facts, snapshot.output);
    if (!isDeepStrictEqual(recorded, { state: 'stopped', runId: header.runId, ...again })) {
      await writeAll(io.stderr, `Line ${count}: the facts come to another outcome than the recorded one.\n`);
      return EXIT.internal;
    }
  }
  await writeAll(io.stderr, `${until} of ${lines.length} lines: every state as before.\n`);
  return EXIT.ok;
}
