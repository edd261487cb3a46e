/** Which sandbox works on this machine: each is tried, with the interpreter that it is to confine. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import { bubblewrap } from './bubblewrap.ts';
import { landlock } from './landlock.ts';
import { hasFilter } from './seccomp.ts';
import { seatbelt } from './seatbelt.ts';
import type { Cell, Interpreter, Sandbox, WorkdirMode } from './types.ts';
import { explained } from './why-not.ts';

export type Wanted = 'auto' | 'bubblewrap' | 'landlock' | 'seatbelt';

export interface Chosen {
  readonly sandbox: Sandbox;
  readonly interpreter: Interpreter;
  /** Of stronger ones, why they were not taken. */
  readonly passedOver: readonly string[];
}

const SANDBOXES: readonly Sandbox[] = process.platform === 'darwin' ? [seatbelt] : [bubblewrap, landlock];

/** What all cells of a tool have in common. */
export type CellBase = Omit<Cell, 'interpreter' | 'script' | 'folder' | 'workdir' | 'scratch' | 'hidden'>;

export class NoInterpreterError extends Error {
  override readonly name = 'NoInterpreterError';
}

/**
 * The strongest that works, the strongest first.
 * @throws {NoInterpreterError}
 * @throws {UserError} when none does: with the reason of each, and the ways on
 */
export function chooseSandbox(wanted: Wanted, interpreters: Iterable<Interpreter>, base: CellBase): Chosen {
  const reasons: string[] = [];
  for (const sandbox of candidates(wanted)) {
    let why: string | null = `it cannot let code change the workspace (--workdir-mode ${base.mode})`;
    if (sandbox.modes.includes(base.mode)) {
      why = null;
      for (const interpreter of interpreters) {
        const failure = tryIn(sandbox, { ...base, interpreter });
        if (failure === null) return { sandbox, interpreter, passedOver: reasons };
        why = failure;
      }
    }
    if (why === null) throw new NoInterpreterError('There is no interpreter.');
    reasons.push(`${sandbox.name}: ${why}`);
  }
  throw new UserError(noneWorks(wanted, reasons, base.mode));
}

function candidates(wanted: Wanted): readonly Sandbox[] {
  if (process.platform !== 'darwin' && !hasFilter()) return [];
  return SANDBOXES.filter(({ name }) => wanted === 'auto' || wanted === name);
}

function noneWorks(wanted: Wanted, reasons: readonly string[], mode: WorkdirMode): string {
  const why =
    reasons.length === 0 ? `there is none for ${process.platform} on ${process.arch}` : reasons.join('; ');
  const which =
    wanted === 'auto' ? 'a sandbox, and none works here' : `the sandbox ${wanted}, which does not work here`;
  const readOnly = mode === 'rw' ? 'leave the workspace as it is (--workdir-mode ro), ' : '';
  return `run_python needs ${which} (${why}). Install bubblewrap (apt-get install bubblewrap), ${readOnly}leave the tool out (--tools read_file), or let code do all that you can, unconfined: --sandbox none`;
}

const TIME_LIMIT_MS = 10_000;
const READY = 'ready';

/** Starts, looks around, writes where it may. */
const TRIAL = `
import os
os.listdir(".")
name = os.path.join(os.environ["SCRATCH"], ".ready")
open(name, "w").close()
os.remove(name)
print("${READY}")
`;

/** Why it does not work, or null. */
function tryIn(sandbox: Sandbox, base: CellBase & Pick<Cell, 'interpreter'>): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'turnstile-'));
  try {
    const workdir = join(folder, 'workspace');
    const scratch = join(folder, 'scratch');
    for (const path of [workdir, scratch]) mkdirSync(path);
    if (base.uid !== null) chownSync(scratch, base.uid, base.uid);
    return trial(sandbox, { ...base, workdir, scratch, hidden: [] }, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs a line of code as a call would run, and waits for it.
 * @param folder a private one, which stays the caller's
 * @returns why it does not work, or null
 */
export function trial(
  sandbox: Sandbox,
  place: Omit<Cell, 'script' | 'folder'>,
  folder: string,
): string | null {
  const script = join(folder, 'code.py');
  writeFileSync(script, TRIAL, { mode: 0o600 });
  prepareFolder(folder, place.uid);
  const { command, args, env, cwd, inputs, tellsInner } = sandbox.launch({ ...place, script, folder });
  const files = inputs.map((bytes, index) => {
    const path = join(folder, `input-${index}`);
    writeFileSync(path, bytes, { mode: 0o600 });
    return openSync(path, 'r');
  });
  try {
    const { error, stdout, stderr, signal } = spawnSync(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe', ...files, ...(tellsInner ? (['pipe'] as const) : [])],
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
    });
    if (stdout?.trim() === READY) return null;
    if (error !== undefined && 'code' in error && error.code === 'ENOENT')
      return `${command} is not installed`;
    if (error !== undefined) return error.message;
    const said = lastLine(stderr);
    if (said !== null) return explained(said);
    return signal === null ? 'it did not start' : `it was ended by ${signal}`;
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** The code's own folder in a private one, for whom the code runs as. */
export function prepareFolder(folder: string, uid: number | null): void {
  mkdirSync(join(folder, 'tmp'), { recursive: true });
  if (uid === null) return;
  chmodSync(folder, 0o711);
  for (const name of ['tmp', 'code.py']) chownSync(join(folder, name), uid, uid);
}

const lastLine = (text: string | null): string | null => text?.trim().split('\n').at(-1)?.trim() || null;
