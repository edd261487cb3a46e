/** Which Python there is, and what of the disk it needs. */
import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { isBelow } from './system.ts';
import type { Interpreter } from './types.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A version manager's stand-in takes a second, on a busy machine several. */
const TIME_LIMIT_MS = 10_000;
/** A version manager's stand-in needs settings that tools do not get: the interpreter itself is asked for. */
const QUESTION =
  'import json, platform, sys; print(json.dumps([sys.executable, platform.python_version(), sys.prefix, sys.base_prefix]))';
const answer = z.tuple([z.string().min(1), z.string(), z.string(), z.string()]);

/** What an interpreter says of itself, or null when it is not there, no Python 3, or silent for 10 seconds. */
function interpreterAt(command: string, env: Environment): Interpreter | null {
  try {
    const file = command.includes('/') ? command : onPath(command, env);
    if (file === null) return null;
    // Python 2 does not know `-I`, and fails.
    const text = execFileSync(file, ['-I', '-c', QUESTION], {
      env,
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [path, version, ...prefixes] = answer.parse(JSON.parse(text));
    return {
      path,
      version,
      folders: [...new Set(prefixes)].filter((folder) => isOutsideSystem(folder) && !isAboveHome(folder)),
    };
  } catch {
    return null;
  }
}

/** Never in the current folder, as a system would where the PATH is empty or says so: a cloned repository may bring a `python3` along. */
function onPath(name: string, { PATH = '' }: Environment): string | null {
  const folders = PATH.split(delimiter).filter((folder) => isAbsolute(folder));
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return folders.map((folder) => join(folder, file)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Those of this process that have answered, as they did: to ask costs some 50 ms. */
const answered = new Map<string, Interpreter>();

function ask(command: string, env: Environment): Interpreter | null {
  const key = JSON.stringify([command, env['PATH']]);
  const found = answered.get(key) ?? interpreterAt(command, env);
  if (found !== null) answered.set(key, found);
  return found;
}

const SYSTEM_PYTHON = '/usr/bin/python3';

/** A prefix that would bring a whole home folder along is not shown: that interpreter does not start then. */
const isAboveHome = (folder: string): boolean => folder === homedir() || isBelow(folder, homedir());

const isOutsideSystem = (folder: string): boolean => folder !== '/usr' && !folder.startsWith('/usr/');

/**
 * Interpreters to try, the most wanted first: whom the code runs as may not get at the one that a user has. Each is asked
 * when its turn has come, and once.
 */
export function interpretersFor(named: string | undefined, env: Environment): Iterable<Interpreter> {
  const commands = named === undefined ? ['python3', 'python', SYSTEM_PYTHON] : [named];
  const asked = new Map<string, Interpreter | null>();
  return {
    *[Symbol.iterator]() {
      let isThere = false;
      for (const command of commands) {
        // A PATH without one says that there is to be none.
        if (command === SYSTEM_PYTHON && named === undefined && !isThere) return;
        if (!asked.has(command)) asked.set(command, ask(command, env));
        const found = asked.get(command) ?? null;
        isThere ||= found !== null;
        if (found !== null) yield found;
      }
    },
  };
}

/** The first of `python3` and `python` on `env.PATH`, or the one that is named; null when it is no Python 3, or silent for 10 seconds. */
export function findPython(env: Environment, named?: string): Interpreter | null {
  const [first = null] = interpretersFor(named, env);
  return first;
}
