/** Which Python there is, and what of the disk it needs. */
import { execFileSync } from 'node:child_process';
import { z } from 'zod';
import type { Interpreter } from './types.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const TIME_LIMIT_MS = 3_000;
/** A version manager's stand-in needs settings that tools do not get: the interpreter itself is asked for. */
const QUESTION =
  'import json, platform, sys; print(json.dumps([sys.executable, platform.python_version(), sys.prefix, sys.base_prefix]))';
const answer = z.tuple([z.string().min(1), z.string(), z.string(), z.string()]);

/** What an interpreter says of itself, or null when it is not there, no Python 3, or silent for 3 seconds. */
export function interpreterAt(command: string, env: Environment): Interpreter | null {
  try {
    // Python 2 does not know `-I`, and fails.
    const text = execFileSync(command, ['-I', '-c', QUESTION], {
      env,
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [path, version, ...prefixes] = answer.parse(JSON.parse(text));
    return { path, version, folders: [...new Set(prefixes)].filter(isOutsideSystem) };
  } catch {
    return null;
  }
}

const isOutsideSystem = (folder: string): boolean => folder !== '/usr' && !folder.startsWith('/usr/');

/**
 * Interpreters to try, the most wanted first: whom the code runs as may not get at the one that a user has. Each is asked
 * when its turn has come, and once.
 */
export function interpretersFor(named: string | undefined, env: Environment): Iterable<Interpreter> {
  const commands = named === undefined ? ['python3', 'python', '/usr/bin/python3'] : [named];
  const asked = new Map<string, Interpreter | null>();
  return {
    *[Symbol.iterator]() {
      for (const command of commands) {
        const found = asked.get(command) ?? interpreterAt(command, env);
        asked.set(command, found);
        if (found !== null) yield found;
      }
    },
  };
}
