/** Where the code of `run_python` runs: in a sandbox, or as the user could run it. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, UserError } from '../errors.ts';
import {
  chooseSandbox,
  findPython,
  NoInterpreterError,
  prepareFolder,
  trial,
  uidForCode,
  interpretersFor,
  watchOver,
  DEFAULT_SANDBOX_LIMITS,
  type Cell,
  type Chosen,
  type Confinement,
  type SandboxLimits,
  type Wanted,
  type WorkdirMode,
} from '../sandbox/index.ts';
import { visible } from '../text/visible.ts';
import type { ToolPlace } from './define-tool.ts';
import type { Environment, ProcessSpec } from './process.ts';
import { scratchFolders } from './scratch.ts';

export interface PlaceOptions {
  /** `auto`: the strongest that works here; `none`: the code can do what the user can do. Default `auto`. */
  readonly sandbox?: Wanted | 'none';
  /** Whether code in a sandbox may change the workspace. Default `ro`. */
  readonly workdirMode?: WorkdirMode;
  /** Whether code in a sandbox has the network. Default false. */
  readonly network?: boolean;
  /** Says that it is meant where this process is root of a machine of its own: the code runs as nobody. Default false. */
  readonly asRoot?: boolean;
  /** In place of single ones of the default limits. */
  readonly limits?: Partial<SandboxLimits>;
  /**
   * A folder outside the workdir, for what code in a sandbox writes: a folder of its own for each run. Without one it is a
   * temporary folder, gone when the tool is collected or this process exits, or at once when nothing was left in it.
   */
  readonly scratchDir?: string;
  /** The interpreter. Default: `python3` or `python` of the PATH. */
  readonly python?: string | undefined;
}

type Started = Pick<
  ProcessSpec,
  'command' | 'args' | 'cwd' | 'env' | 'inputs' | 'tellsInner' | 'isSandbox' | 'overLimit'
>;

/** @throws {UserError} when no call could run here */
export interface PythonPlace {
  readonly confinement: Confinement;
  readonly limits: SandboxLimits | null;
  readonly setUp: (place: ToolPlace) => void;
  readonly start: (script: string, folder: string, place: ToolPlace) => Promise<Started>;
  /** Behind each `start`, when nothing of the call is running. */
  readonly leave: (place: ToolPlace) => void;
}

/**
 * Isolated from user settings and the current folder, unbuffered (what was printed must survive a kill), no `.pyc`
 * files, UTF-8. `-I` makes the interpreter blind to `PYTHON…` variables: those are for the ones it starts.
 */
const FLAGS = ['-I', '-u', '-B', '-X', 'utf8'];

export function placeOf(options: PlaceOptions, timeoutMs: number, env: Environment): PythonPlace {
  const { sandbox = 'auto' } = options;
  return sandbox === 'none' ? openPlace(options, env) : closedPlace(sandbox, options, timeoutMs, env);
}

function openPlace({ python }: PlaceOptions, env: Environment): PythonPlace {
  const found = findPython(env, python);
  if (found === null) throw noInterpreter(python);
  return {
    confinement: { sandbox: 'none', workdir: 'rw', network: true, instead: null },
    limits: null,
    setUp: () => undefined,
    leave: () => undefined,
    start: async (script, folder, { workdir }) => ({
      command: found.path,
      args: [...FLAGS, script],
      cwd: workdir,
      env: { ...environmentFor(env), HOME: folder, TMPDIR: folder },
    }),
  };
}

function closedPlace(
  wanted: Wanted,
  options: PlaceOptions,
  timeoutMs: number,
  env: Environment,
): PythonPlace {
  const { workdirMode: mode = 'ro', network = false, asRoot = false, python, scratchDir } = options;
  const limits = {
    ...DEFAULT_SANDBOX_LIMITS,
    cpuSeconds: Math.ceil(timeoutMs / 1_000) + 1,
    ...options.limits,
  };
  const uid = uidForCode(asRoot);
  const { PATH: _, ...variables } = environmentFor(env);
  const base = { mode, network, limits, uid, flags: FLAGS, env: { LANG: 'C.UTF-8', ...variables } };
  const { sandbox, interpreter, passedOver } = chosenFor(wanted, base, python, env);
  const scratches = scratchFolders(sandbox.name === 'landlock' && uid !== null ? undefined : scratchDir, uid);
  const cellOf = ({ runId, workdir, hidden }: ToolPlace): Omit<Cell, 'script' | 'folder'> => {
    const root = realpathSync(workdir);
    // First: it may lie in a state folder that is only made now, and is to be hidden.
    const scratch = scratches.take(runId);
    const unseen = [...hidden, join(root, '.turnstile')].filter((path) => existsSync(path));
    return { ...base, interpreter, workdir: root, scratch, hidden: unseen.map((path) => realpathSync(path)) };
  };
  return {
    confinement: { sandbox: sandbox.name, workdir: mode, network, instead: passedOver.join('; ') || null },
    limits,
    setUp: (place) => {
      const why = tryAt(() => cellOf(place), sandbox);
      scratches.leave(place.runId);
      if (why !== null) throw new UserError(notHere(sandbox.name, place.workdir, why, uid));
    },
    start: async (script, folder, place) => {
      const cell = { ...cellOf(place), script, folder };
      prepareFolder(folder, uid);
      const { inputs, ...launch } = sandbox.launch(cell);
      const paths = inputs.map((_bytes, index) => join(folder, `input-${index}`));
      await Promise.all(paths.map((path, index) => writeFile(path, inputs[index] ?? '', { mode: 0o600 })));
      const written = [cell.scratch, join(folder, 'tmp'), ...(mode === 'rw' ? [cell.workdir] : [])];
      return {
        ...launch,
        inputs: paths,
        isSandbox: sandbox.name !== 'seatbelt',
        overLimit: watchOver(limits, written),
      };
    },
    leave: ({ runId }) => scratches.leave(runId),
  };
}

/** Why a call could not work there, or null. */
function tryAt(cellOf: () => Omit<Cell, 'script' | 'folder'>, sandbox: Chosen['sandbox']): string | null {
  let folder: string | null = null;
  try {
    folder = mkdtempSync(join(tmpdir(), 'turnstile-'));
    return trial(sandbox, cellOf(), folder);
  } catch (error) {
    // A disk that is full, a folder that cannot be made.
    return messageOf(error);
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}

const notHere = (sandbox: string, workdir: string, why: string, uid: number | null): string =>
  `run_python cannot work on ${workdir} in the sandbox ${sandbox}: ${why}.${uid === null ? '' : ` Its code runs as user ${uid}, who must be able to read the folder.`} Name another workspace (--workdir), or leave the tool out (--tools read_file).`;

/** Trying costs some 50 ms, and comes to the same again. */
const chosen = new Map<string, Chosen>();

function chosenFor(
  wanted: Wanted,
  base: Parameters<typeof chooseSandbox>[2],
  python: string | undefined,
  env: Environment,
): Chosen {
  const key = JSON.stringify([wanted, base, python, env['PATH']]);
  const known = chosen.get(key);
  if (known !== undefined) return known;
  try {
    const choice = chooseSandbox(wanted, interpretersFor(python, env), base);
    chosen.set(key, choice);
    return choice;
  } catch (error) {
    throw error instanceof NoInterpreterError ? noInterpreter(python) : error;
  }
}

const noInterpreter = (named: string | undefined): UserError =>
  new UserError(
    named === undefined
      ? 'No python3 was found for run_python. Install it, name it with --python, or leave the tool out: --tools read_file'
      : `--python: ${visible(named)} is not there, or no Python 3.`,
  );

const ALLOWED = /^(PATH|LANG|LC_.*|TZ|SYSTEMROOT)$/i;

/** An allow list, so that no key or token is handed on. */
function environmentFor(env: Environment): Readonly<Record<string, string>> {
  const allowed = Object.entries(env).flatMap(([name, value]) =>
    ALLOWED.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(allowed), PYTHONIOENCODING: 'utf-8', PYTHONDONTWRITEBYTECODE: '1' };
}
