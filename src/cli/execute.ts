/** A new run of the command, from its options to its exit code. */
import { readFile } from 'node:fs/promises';
import { createAgent } from '../agent.ts';
import type { AgentRun } from '../agent-run.ts';
import { UserError, messageOf } from '../errors.ts';
import { folderOf } from '../workdir.ts';
import { keyFolder } from '../journal/own.ts';
import { visibleLine } from '../text/visible.ts';
import { warnOfHome } from './home.ts';
import { readAll, writeAll, type Io } from './io.ts';
import type { RunOptions } from './options.ts';
import { checkFlags } from './prepare.ts';
import { newJournal } from './run-journal.ts';
import { agentOptionsOf, runPlan, type Plan, type Session } from './session.ts';

interface Execution extends Pick<Plan, 'options' | 'openModel' | 'waysOn'> {
  readonly task: string;
}

/**
 * Runs a task and reports on it.
 * @returns the exit code
 * @throws {UserError} for what is wrong before anything is spent
 */
export async function execute({ task: given, ...plan }: Execution, io: Io): Promise<number> {
  // Flags that contradict each other are said before stdin is waited for, and stdin is read before others listen to it.
  checkFlags(plan.options);
  const task = given === '-' ? await readAll(io.stdin) : given;
  if (task.trim() === '') throw new UserError('The task is blank. Say what is to be done, in quotes.');
  return runPlan(
    {
      ...plan,
      openJournal: (onLine) =>
        newJournal({ ...plan.options, onUnmarked: sayUnmarked(plan.options, io) }, io.env, onLine),
      start: (session) => start(task, session, io),
    },
    io,
  );
}

/** Said now: when the run waits for an approval it is too late to do something about it. */
const sayUnmarked =
  ({ quiet }: RunOptions, { stderr, env }: Io) =>
  async (why: string): Promise<void> => {
    if (quiet !== true)
      await writeAll(
        stderr,
        `This run cannot be marked as begun on this account (${visibleLine(why)}): approve, deny and fork will refuse it, and resume will ask anew. Make ${visibleLine(keyFolder(env))} a folder that can be written, or set XDG_STATE_HOME.\n`,
      );
  };

async function start(task: string, session: Session, io: Io): Promise<AgentRun> {
  const { options } = session;
  const workdir = folderOf(options.workdir, '--workdir');
  warnOfHome(workdir, session.screen);
  const agent = createAgent({
    ...(await agentOptionsOf(session, io)),
    workdir,
    ...(options.system !== undefined && { system: await systemText(options.system) }),
    effort: options.effort === 'none' ? null : options.effort,
    maxTokens: options.maxTokens,
    limits: { maxTurns: options.maxTurns, ...limitsOf(options) },
    onLimit: options.onLimit,
  });
  return agent.start(task);
}

const limitsOf = ({ maxUsd, tokenBudget, timeout }: RunOptions) => ({
  maxUsd: maxUsd ?? null,
  tokenBudget: tokenBudget ?? null,
  timeoutMs: timeout === undefined ? null : timeout * 1_000,
});

export async function systemText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UserError(`Cannot read the file of --system: ${messageOf(error)}`, { cause: error });
  }
}
