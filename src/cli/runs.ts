/** `turnstile runs`: what there is in a state folder. */
import { messageOf } from '../errors.ts';
import { formatUsd } from '../budget/cost.ts';
import { isJournalLocked } from '../journal/lock.ts';
import { spendOf } from '../journal/outcome.ts';
import { readJournal } from '../journal/read.ts';
import { storedRun } from '../stored-run.ts';
import { fitLine, visibleLine } from '../text/visible.ts';
import { EXIT } from './exit-codes.ts';
import { listRuns, type ListedRun } from './find-run.ts';
import { jsonOf, writeAll, type Io } from './io.ts';
import { masked, redactorOf } from './masked.ts';

export interface RunsOptions {
  readonly stateDir: string;
  readonly waiting?: boolean;
  readonly json?: boolean;
}

/** A run at a glance. */
interface Row {
  readonly run_id: string;
  /** `running`, `waiting`, `stopped`, `interrupted` (its process died), `empty` (it died before the run began) or `damaged` */
  readonly state: string;
  readonly reason: string | null;
  readonly turns: number;
  readonly cost_usd: number | null;
  readonly changed_at: string;
  readonly waiting_calls: readonly string[];
  readonly task: string;
}

export async function showRuns({ stateDir, waiting, json }: RunsOptions, io: Io): Promise<number> {
  const rows: Row[] = [];
  for (const run of await listRuns(stateDir)) rows.push(masked(await rowOf(run), redactorOf(io)));
  const shown = waiting ? rows.filter(({ waiting_calls: calls }) => calls.length > 0) : rows;
  if (json) {
    await writeAll(io.stdout, jsonOf(shown));
    return EXIT.ok;
  }
  await writeAll(io.stdout, shown.map((row) => `${lineOf(row)}\n`).join(''));
  if (shown.length === 0)
    await writeAll(
      io.stderr,
      `No runs${waiting ? ' wait' : ''} in ${visibleLine(redactorOf(io)(stateDir))}.\n`,
    );
  return EXIT.ok;
}

async function rowOf({ id, path, changedAt }: ListedRun): Promise<Row> {
  const changed_at = new Date(changedAt).toISOString();
  const unread = (state: string, why: string): Row => ({
    run_id: id,
    state,
    reason: null,
    turns: 0,
    cost_usd: null,
    changed_at,
    waiting_calls: [],
    task: why,
  });
  try {
    const isRunning = await isJournalLocked(path);
    const lines = await readJournal(path);
    if (lines.length === 0) return unread(isRunning ? 'running' : 'empty', 'It has not begun yet.');
    const { state, ended } = storedRun(lines);
    const { snapshot, header, facts } = state;
    return {
      run_id: id,
      state: isRunning ? 'running' : (ended?.state ?? (snapshot.output ? 'stopped' : 'interrupted')),
      reason: snapshot.output?.reason ?? null,
      turns: snapshot.context.turn,
      cost_usd: spendOf(header, facts).costUsd,
      changed_at,
      waiting_calls: ended?.state === 'waiting' ? ended.callIds : [],
      task: header.task,
    };
  } catch (error) {
    return unread('damaged', messageOf(error));
  }
}

function lineOf(row: Row): string {
  const cost = row.cost_usd === null ? '-' : formatUsd(Math.round(row.cost_usd * 1e9));
  const state = row.reason === null ? row.state : row.reason;
  const cells = [
    row.run_id.padEnd(8),
    state.padEnd(14),
    String(row.turns).padStart(3),
    cost.padStart(10),
    ageOf(Date.parse(row.changed_at)).padStart(5),
    fitLine(visibleLine(row.task), 60),
  ];
  return visibleLine(cells.join('  '));
}

/** `5 s`, `12 m`, `3 h`, `9 d` */
function ageOf(changedAt: number): string {
  const age = Math.max(0, Date.now() - changedAt) / 1_000;
  if (age < 60) return `${Math.floor(age)} s`;
  if (age < 3_600) return `${Math.floor(age / 60)} m`;
  return age < 86_400 ? `${Math.floor(age / 3_600)} h` : `${Math.floor(age / 86_400)} d`;
}
