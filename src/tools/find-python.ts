import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from './process.ts';

export interface Python {
  /** The interpreter itself: a version manager's stand-in needs settings that tools do not get. */
  readonly path: string;
  /** As `3.12.1`. */
  readonly version: string;
}

const TIME_LIMIT_MS = 10_000;
const QUESTION = 'import platform, sys; print(sys.executable); print(platform.python_version())';

/** The first of `python3` and `python` on `env.PATH` that is a Python 3 and answers within 10 seconds, or null. */
export async function findPython(env: Environment): Promise<Python | null> {
  return (await askPython('python3', env)) ?? (await askPython('python', env));
}

/** What an interpreter says of itself, or null when it is not there, no Python 3, or silent for 10 seconds. */
export async function askPython(command: string, env: Environment): Promise<Python | null> {
  try {
    // Python 2 does not know `-I`, and fails.
    const { stdout } = await promisify(execFile)(command, ['-I', '-c', QUESTION], {
      env,
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const [path, version] = stdout.trim().split(/\r?\n/);
    return path && version ? { path, version } : null;
  } catch {
    return null;
  }
}
