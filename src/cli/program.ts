/** The command line: which command, with which options. Each one loads what it needs, and nothing else. */
import { Command, CommanderError, Option } from 'commander';
import { UserError } from '../errors.ts';
import type { DoctorOptions } from './doctor.ts';
import { EXIT } from './exit-codes.ts';
import { Output, writeAll, type Io } from './io.ts';
import { addRulesOptions, addRunOptions, stateDirOption, type RunOptions } from './options.ts';
import { nearestCommand } from './nearest.ts';
import { addRunCommands } from './run-commands.ts';
import type { RulesOptions } from './rules-command.ts';
import type { ProveOptions } from './prove.ts';
import type { VerifyOptions } from './verify.ts';
import { version } from './version.ts';

/**
 * @param args what stands behind the command's name
 * @returns the exit code
 */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.ok;
  const help = new Output(io.stdout);
  const program = new Command('turnstile')
    .description('Gives a task to a model, runs the tools it calls, and answers.')
    .version(version())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => help.write(text),
      // What is wrong is thrown as well, and said like every other error.
      outputError: () => undefined,
    })
    .usage('[options] "TASK"   or   turnstile COMMAND')
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true });
  const end = (result: Promise<number>): Promise<void> => result.then((value) => void (code = value));

  const run = addRunOptions(
    program.command('run', { isDefault: true }).description('run a task (the default command)'),
  )
    .usage('[options] "TASK"')
    .argument('[task...]', 'the task, as one argument in quotes; - reads it from stdin')
    .action((words: readonly string[], options: RunOptions) =>
      end(runTask(taskOf(words, args, namesOf(program)), options, io)),
    );
  addRunCommands(program, end, io);
  program
    .command('demo')
    .description('run a scenario with a scripted model: no key, no network')
    .argument('[scenario]', 'which one; `turnstile demo list` names them', 'basic')
    .option('--yes', 'approve every call')
    .option('--output <format>', 'text, json or stream-json', 'text')
    .action((scenario: string, options: { readonly yes?: boolean; readonly output: string }) =>
      end(import('./demo.ts').then(({ runDemo }) => runDemo(scenario, options, io))),
    );
  addRulesOptions(program.command('rules').description('which rules hold here, and what they say of a call'))
    .argument('[words...]', `nothing, or check and a call: check 'read_file {"path": "a.txt"}'`)
    .action((words: readonly string[], options: RulesOptions) =>
      end(import('./rules-command.ts').then(({ runRules }) => runRules(words, options, io))),
    );
  program
    .command('chart')
    .description('print the statechart of the loop')
    .option('--format <format>', 'mermaid, or json as Stately imports it', 'mermaid')
    .action(({ format }: { readonly format: string }) => end(printChart(format, io)));
  program
    .command('prove')
    .description('walk every path of the statechart within its bounds, and hold it against the contract')
    .option('--max-turns <n>', 'turns of each walk, 2 to 4')
    .option(
      '--play',
      'play paths that take every edge against the real loop, client and tools (some minutes)',
    )
    .option('--export <dir>', 'write the paths as JSON, so that other loops can be tried with them')
    .option('--json', 'for programs')
    .action((options: ProveOptions) =>
      end(import('./prove.ts').then(({ runProve }) => runProve(options, io))),
    );
  program
    .command('verify')
    .description('hold a journal, a transcript or a history from elsewhere against the invariants')
    .argument(
      '<file>',
      'a journal (JSONL), a transcript or messages of the Messages API (JSON); or a run, by its id',
    )
    .addOption(stateDirOption())
    .option('--json', 'for programs')
    .addOption(
      new Option('--api-version <date>', 'version of the API that a history is held against').choices([
        '2023-06-01',
        '2026-10-21',
      ]),
    )
    .action((file: string, options: VerifyOptions) =>
      end(import('./verify.ts').then(({ runVerify }) => runVerify(file, options, io))),
    );
  program
    .command('doctor')
    .description('check what a run needs on this machine')
    .option('--base-url <url>', 'server to reach [ANTHROPIC_BASE_URL]')
    .option('--dotenv <file>', 'read ANTHROPIC_* variables from a file')
    .option('--json', 'for programs')
    .action((options: DoctorOptions) =>
      end(import('./doctor.ts').then(({ runDoctor }) => runDoctor(options, io))),
    );
  program.addHelpText('after', () => `\nRunning a task:\n\n${run.helpInformation()}`);
  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program);

  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version are answers; everything else that commander throws is wrong use.
    if (error.exitCode === 0) return help.flushed().then(() => EXIT.ok);
    throw new UserError(error.message.replace(/^error: /, ''), { cause: error });
  }
}

async function runTask(task: string, options: RunOptions, io: Io): Promise<number> {
  const [{ withProjectFile }, { execute }] = await Promise.all([
    import('./rules.ts'),
    import('./execute.ts'),
  ]);
  return execute({ task, options: await withProjectFile(options, { withLimits: true, env: io.env }) }, io);
}

const namesOf = ({ commands }: Command): readonly string[] => [
  ...commands.map((command) => command.name()),
  'help',
];

/** A task is one argument, so that a forgotten quote or a mistyped command does not become a paid request. */
function taskOf(words: readonly string[], args: readonly string[], commands: readonly string[]): string {
  const [task, ...more] = words;
  if (task === undefined) {
    throw new UserError('No task. Give it in quotes: turnstile "Average in scores.csv?" (--help says more).');
  }
  if (more.length > 0) throw new UserError(severalWords(words));
  const near = args.includes('--') || args[0] === 'run' ? null : nearestCommand(task, commands);
  if (near === task) {
    throw new UserError(
      `${task} is a command, and a command comes first: turnstile ${task} … For a task of this word, end the options with --: turnstile … -- ${task}`,
    );
  }
  if (near !== null) {
    throw new UserError(
      `No command ${JSON.stringify(task)}. Did you mean ${near}? For a task of this word: turnstile -- ${task}`,
    );
  }
  return task;
}

function severalWords(words: readonly string[]): string {
  const [task = '', ...more] = words;
  const said = `A task is one argument; these are ${words.length}.`;
  if (more.some((word) => word.startsWith('--')))
    return `${said} Options come before the --: turnstile ${more.join(' ')} -- "${task}"`;
  return `${said} Put it in quotes: turnstile ${task.startsWith('-') ? '-- ' : ''}"${words.join(' ')}"`;
}

async function printChart(format: string, { stdout }: Io): Promise<number> {
  if (format !== 'mermaid' && format !== 'json') {
    throw new UserError(`--format: there is no ${format}. It takes mermaid or json.`);
  }
  const [{ agentLoop }, { toStatelyJson }, { toMermaid }] = await Promise.all([
    import('../../machines/index.ts'),
    import('../chart/json.ts'),
    import('../chart/mermaid.ts'),
  ]);
  await writeAll(
    stdout,
    format === 'json' ? `${toStatelyJson(agentLoop).trimEnd()}\n` : toMermaid(agentLoop),
  );
  return EXIT.ok;
}
