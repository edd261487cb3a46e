/** Commands about runs that have begun. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { DecideOptions } from './decide.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import type { ForkOptions } from './fork.ts';
import { addResumeOptions, stateDirOption, type ResumeRunOptions } from './options.ts';
import type { Resumption } from './resume.ts';
import type { RunsOptions } from './runs.ts';

type End = (result: Promise<number>) => Promise<void>;

const RUN = 'its id, the beginning of it, `last`, or the file of its journal';

export function addRunCommands(program: Command, end: End, io: Io): void {
  addResumeOptions(program.command('resume').description('go on with a run'))
    .argument('<run>', RUN)
    .argument('[message]', 'what to say to the model; - reads it from stdin')
    .action((run: string, message: string | undefined, options: ResumeRunOptions) =>
      end(resume({ run, options, ...(message !== undefined && { message }) }, io)),
    );
  addResumeOptions(program.command('approve').description('let calls run that a run waits for'))
    .argument('<run>', RUN)
    .argument('[calls...]', 'ids of the calls, where there are several')
    .option('--all', 'all that wait')
    .option('--edit <file>', 'run this input instead')
    .option('--input-hash <hash>', 'says off a terminal that the input was seen', collect)
    .option('--resume', 'go on with the run at once, with the other options')
    .action((run: string, calls: readonly string[], options: ApproveOptions) =>
      end(
        import('./decide.ts')
          .then(({ approve }) => approve(run, calls, options, io))
          .then(thenResume(run, options, io)),
      ),
    );
  addResumeOptions(program.command('deny').description('refuse calls that a run waits for'))
    .argument('<run>', RUN)
    .argument('[calls...]', 'ids of the calls, where there are several')
    .option('--all', 'all that wait')
    .option('--reason <text>', 'why; the model is told')
    .option('--resume', 'go on with the run at once, with the other options')
    .action((run: string, calls: readonly string[], options: ApproveOptions) =>
      end(
        import('./decide.ts')
          .then(({ deny }) => deny(run, calls, options, io))
          .then(thenResume(run, options, io)),
      ),
    );
  program
    .command('runs')
    .description('list runs, the newest first')
    .option('--waiting', 'only those that wait for a decision')
    .option('--json', 'for programs')
    .addOption(stateDirOption())
    .action((options: RunsOptions) => end(import('./runs.ts').then(({ showRuns }) => showRuns(options, io))));
  program
    .command('show')
    .description('tell what happened in a run')
    .argument('<run>', RUN)
    .option('--json', 'the lines of its journal, as one document')
    .addOption(stateDirOption())
    .action((run: string, options: { readonly stateDir: string; readonly json?: boolean }) =>
      end(import('./look.ts').then(({ show }) => show(run, options, io))),
    );
  program
    .command('export')
    .description('write the transcript of a run to stdout')
    .argument('<run>', RUN)
    .addOption(stateDirOption())
    .action((run: string, options: { readonly stateDir: string }) =>
      end(import('./look.ts').then(({ exportRun }) => exportRun(run, options, io))),
    );
  program
    .command('replay')
    .description('let the statechart take the facts of a run again, and compare')
    .argument('<run>', RUN)
    .addOption(new Option('--until <line>', 'line to stop behind').argParser(lineNumber))
    .addOption(stateDirOption())
    .action((run: string, options: { readonly stateDir: string; readonly until?: number }) =>
      end(import('./look.ts').then(({ replay }) => replay(run, options, io))),
    );
  program
    .command('fork')
    .description('begin a new run with the first lines of another one; prints its id')
    .argument('<run>', RUN)
    .addOption(
      new Option('--at <line>', 'last line that is taken over').argParser(lineNumber).makeOptionMandatory(),
    )
    .option('--edit-message <text>', 'instead of what the user says in that line')
    .addOption(stateDirOption())
    .action((run: string, options: ForkOptions) =>
      end(import('./fork.ts').then(({ fork }) => fork(run, options, io))),
    );
}

type ApproveOptions = DecideOptions &
  ResumeRunOptions & { readonly resume?: boolean; readonly reason?: string };

const resume = async (resumption: Resumption, io: Io): Promise<number> =>
  (await import('./resume.ts')).resume(resumption, io);

/** Where something was decided and `--resume` says so. */
const thenResume =
  (run: string, options: ApproveOptions, io: Io) =>
  (code: number): Promise<number> | number =>
    code === EXIT.ok && options.resume === true ? resume({ run, options }, io) : code;

const collect = (value: string, earlier: readonly string[] = []): readonly string[] => [...earlier, value];

function lineNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('It takes the number of a line, 1 or more.');
  }
  return value;
}
