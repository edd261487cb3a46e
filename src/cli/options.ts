/** Options of `turnstile run` as the command line gives them, as commander declares them. */
import { Option, type Command } from 'commander';
import { DEFAULT_EFFORT, DEFAULT_LIMITS, DEFAULT_MAX_TOKENS, DEFAULT_MODEL } from '../defaults.ts';
import type { Durability } from '../journal/file.ts';
import type { OnLimit } from '../../machines/index.ts';
import type { Price } from '../ports.ts';
import type { Wanted, WorkdirMode } from '../sandbox/index.ts';
import { hash, notBlank, positive, price, selector, toolNames, url, wholeNumber } from './option-values.ts';
import type { RuleOptions } from './rules.ts';

type SandboxWay = Wanted | 'none';

export interface RunOptions extends RuleOptions {
  readonly workdir: string;
  readonly model: string;
  readonly baseUrl?: string;
  readonly dotenv?: string;
  readonly envFile?: string;
  readonly effort: string;
  readonly system?: string;
  readonly maxTurns: number;
  readonly onLimit: OnLimit;
  readonly maxUsd?: number;
  readonly price?: Price;
  readonly tokenBudget?: number;
  readonly maxTokens: number;
  readonly timeout?: number;
  readonly toolTimeout: number;
  readonly yes?: boolean;
  readonly onAsk?: 'pause' | 'deny' | 'fail';
  /** Instead of a pause, where `onAsk` says nothing and nobody can be asked. */
  readonly unattended?: 'deny';
  readonly durability?: Durability;
  readonly tools: readonly string[];
  readonly python?: string;
  readonly sandbox?: SandboxWay;
  readonly workdirMode?: WorkdirMode;
  readonly net?: 'none' | 'allow';
  readonly asRoot?: boolean;
  readonly stateDir: string;
  readonly transcript?: string;
  readonly output: 'text' | 'json' | 'stream-json';
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly inspect?: boolean;
  readonly color?: boolean;
}

const EFFORTS = ['none', 'low', 'medium', 'high', 'xhigh', 'max'];

/** What `turnstile resume` takes. */
export type ResumeRunOptions = Omit<
  RunOptions,
  'workdir' | 'model' | 'effort' | 'system' | 'maxTurns' | 'onLimit' | 'maxTokens' | 'toolTimeout' | 'tools'
> & {
  readonly workdir?: string;
  readonly model?: string;
  readonly maxTurns?: number;
  /** Go on in a new run, where tools and system text may be others. */
  readonly fork?: boolean;
  readonly tools?: readonly string[];
  readonly system?: string;
};

/** Those of a run that names none: what changes files is to be named. */
const DEFAULT_TOOLS: readonly string[] = ['read_file', 'list_files', 'search_files', 'run_python'];

export function addRunOptions(command: Command): Command {
  return addSharedOptions(
    addToolOptions(command)
      .option('--model <id>', 'model id, or scripted:FILE for a script', notBlank, DEFAULT_MODEL)
      .addOption(
        new Option('--effort <level>', 'effort of the model; none sends none')
          .choices(EFFORTS)
          .default(DEFAULT_EFFORT),
      )
      .option('--system <file>', 'system text, instead of the default', notBlank)
      .option('--max-turns <n>', 'turns that are asked', wholeNumber, DEFAULT_LIMITS.maxTurns)
      .addOption(
        new Option(
          '--on-limit <way>',
          'at the turn limit: a last turn without tools, a plain stop, or ask for more',
        )
          .choices(['summarise', 'stop', 'ask'])
          .default('summarise'),
      )
      .option('--max-tokens <n>', 'max_tokens of a request', wholeNumber, DEFAULT_MAX_TOKENS)
      .option('--tool-timeout <s>', 'time of one run_python call, in seconds', positive, 30),
  );
}

/** What decides about a call, as a run would have it. */
export const addRulesOptions = (command: Command): Command =>
  addRuleOptions(addToolOptions(command)).option('--json', 'for programs');

const addToolOptions = (command: Command): Command =>
  command
    .option('--workdir <dir>', 'folder that the tools see', notBlank, '.')
    .option('--tools <list>', 'tools of the run, by name', toolNames, DEFAULT_TOOLS);

/** What a run that goes on takes from its journal is not among them, unless it is said anew. */
export function addResumeOptions(command: Command): Command {
  return addSharedOptions(
    command
      .option('--workdir <dir>', 'folder that the tools see, instead of the one of before', notBlank)
      .option('--model <id>', 'model id, or scripted:FILE, instead of the one of before', notBlank)
      .option('--max-turns <n>', 'turns of the whole run, those of before included', wholeNumber)
      .option('--fork', 'go on in a new run that has what was said so far, without the thoughts of the model')
      .option('--tools <list>', 'with --fork: tools of the new run, by name', toolNames)
      .option('--system <file>', 'with --fork: system text of the new run', notBlank),
  );
}

function addRuleOptions(command: Command): Command {
  return command
    .option('--yes', 'approve every call that would be asked for')
    .option('--allow <rule>', 'run these calls without asking: TOOL, or TOOL(argument=glob)', selector)
    .option('--ask <rule>', 'ask before these calls', selector)
    .option('--deny <rule>', 'refuse these calls; beats everything else', selector)
    .addOption(
      new Option('--net <way>', 'the network of run_python; with allow every call is asked for').choices([
        'none',
        'allow',
      ]),
    )
    .option('--trust <hash>', 'the turnstile.json with this hash may loosen, too', hash);
}

function addSharedOptions(command: Command): Command {
  return (
    addRuleOptions(command)
      .option('--base-url <url>', 'server that speaks the Messages API [ANTHROPIC_BASE_URL]', url)
      .option(
        '--dotenv <file>',
        'read ANTHROPIC_* variables from a file; no .env is read by itself',
        notBlank,
      )
      // Node takes this one for itself wherever it stands, see docs/decisions/dotenv.md.
      .addOption(new Option('--env-file <file>').argParser(notBlank).hideHelp())
      .option('--max-usd <usd>', 'budget in USD for the whole run', positive)
      .option(
        '--price <prices>',
        'USD per million tokens: in=…,out=…[,read=…][,write5m=…][,write1h=…]',
        price,
      )
      .option(
        '--token-budget <n>',
        'budget in tokens: input (cache reads and writes included) and output of every request, added up',
        wholeNumber,
      )
      .option(
        '--timeout <s>',
        'working time from here on, in seconds; waiting for a person does not count',
        positive,
      )
      .addOption(
        new Option('--on-ask <way>', 'when a call needs approval and nobody can be asked').choices([
          'pause',
          'deny',
          'fail',
        ]),
      )
      .option('--python <path>', 'interpreter of run_python', notBlank)
      .addOption(
        new Option(
          '--sandbox <way>',
          'what run_python is confined by; auto takes the strongest that works',
        ).choices(['auto', 'bubblewrap', 'landlock', 'seatbelt', 'none']),
      )
      .addOption(
        new Option('--workdir-mode <mode>', 'whether run_python may change the workspace').choices([
          'ro',
          'rw',
        ]),
      )
      .option('--as-root', 'root may run code; it runs as nobody [TURNSTILE_AS_ROOT=1]')
      .addOption(stateDirOption())
      .addOption(
        new Option('--durability <way>', 'a journal line survives a power cut, or only a dead process')
          .choices(['full', 'os'])
          .default('full'),
      )
      .option(
        '--transcript <file>',
        'write the whole run to a JSON file when it ends, however it ends',
        notBlank,
      )
      .addOption(
        new Option('--output <format>', 'what stdout carries')
          .choices(['text', 'json', 'stream-json'])
          .default('text'),
      )
      .option('--quiet', 'nothing on stderr but warnings and errors')
      .option('--verbose', 'more on stderr: requests, results')
      .option('--inspect', 'watch the run in a browser: prints an address of this machine')
      .option('--color', 'colours even off a terminal')
      .option('--no-color', 'no colours')
  );
}

export const stateDirOption = (): Option =>
  new Option('--state-dir <dir>', 'where journals are kept').argParser(notBlank).default('.turnstile');
