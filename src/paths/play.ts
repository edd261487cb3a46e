/** One path, played against the real driver, the real client over HTTP and real tools. Only the outside is scripted. */
import { initialTransition, transition } from 'xstate';
import { agentLoop, resumed, type LoopEvent } from '../../machines/index.ts';
import type { Agent } from '../agent.ts';
import type { AgentRun } from '../agent-run.ts';
import { isFact } from '../journal/lines.ts';
import { memoryJournal } from '../journal/memory.ts';
import type { JournalHeader, JournalLine, Rule, RunResult } from '../ports.ts';
import { says, type Reply } from '../testing/reply.ts';
import type { LoggedRequest, ReceivedRequest } from '../testing/server.ts';
import { moneyLeft } from './responses.ts';
import { AMOUNTS, inputOf, type Configuration } from './configuration.ts';
import type { Snapshot } from './graph.ts';
import { budgetFor, inputTokensFor } from './money.ts';
import { spellingOf, type Spelling } from './own-tools.ts';
import { preludeOf } from './prelude.ts';
import {
  MAX_TOKENS,
  processFor,
  resumptionFor,
  WORDS,
  type Place,
  type Process,
  type Setting,
} from './process.ts';
import { isModelFact, replyFor, searchIn } from './replies.ts';
import { Script, type FromOutside } from './script.ts';
import type { Path } from './walk.ts';
import { HUGE_BYTES } from './workbench.ts';

export interface Played {
  readonly configuration: Configuration;
  /** Results of its tools are told by how they ended alone. */
  readonly hasOwnTools: boolean;
  /** What comes from outside came before an effect had begun. */
  readonly isEarly: boolean;
  /** What came before the path: a run that leaves behind what it goes on from. */
  readonly prelude: Path;
  readonly lines: readonly JournalLine[];
  /** Where the machine rested at first and after each fact, folded from the journal. */
  readonly states: readonly Snapshot[];
  readonly result: RunResult;
  readonly requests: readonly LoggedRequest[];
  /** What the model's server answered, in the order of the requests. */
  readonly replies: readonly Reply[];
  /** Python scripts that ran. */
  readonly processes: number;
  /** Runs of the tool that the rules rule out. */
  readonly deletions: number;
  /** Processes of the loop that died in the middle of a run. */
  readonly deaths: number;
}

const TASK = 'What is the average in scores.csv?';
const PYTHON_MS = 1_000;
const SLOW_PYTHON_MS = 30_000;

export class Play {
  readonly #configuration: Configuration;
  readonly #isEarly: boolean;
  readonly #prelude: Path;
  readonly #seed: number;
  readonly #spell: Spelling;
  readonly #script: Script;
  readonly #setting: Setting;
  readonly #lines: JournalLine[] = [];
  readonly #states: Snapshot[] = [];
  readonly #replies: Reply[] = [];
  #search: string | null = null;
  #maxTokens = MAX_TOKENS * 64;
  #process: Process | null = null;
  #agentRun: AgentRun | null = null;
  #lives = 0;
  #deaths = 0;
  #isDead = false;

  constructor(path: Path, configuration: Configuration, seed: number, place: Place) {
    const prelude = preludeOf(configuration);
    const whole = [...prelude.path, ...path];
    const [start] = initialTransition(agentLoop, inputOf(prelude.configuration));
    this.#configuration = configuration;
    this.#isEarly = seed % 2 === 1 && !endsBesideAbort(whole);
    const timesOut = whole.some(({ event }) => 'outcome' in event && event.outcome.kind === 'timed_out');
    this.#prelude = prelude.path;
    this.#seed = seed;
    this.#spell = spellingOf(place.tools);
    this.#script = new Script(whole, start, this.#isEarly, (fact) => this.#inject(fact));
    const setting: Setting = {
      configuration: prelude.configuration,
      place,
      script: this.#script,
      tokenBudget: null,
      pythonTimeoutMs: timesOut ? PYTHON_MS : SLOW_PYTHON_MS,
      journal: { append: (line) => this.#append(line) },
      counts: { processes: 0, deletions: 0 },
      maxTokens: () => this.#maxTokens,
    };
    this.#setting = { ...setting, tokenBudget: budgetIn(setting) };
  }

  /** Python scripts that have begun so far. */
  get processes(): number {
    return this.#setting.counts.processes;
  }

  /** @throws {UserError} when the library refuses to go on as the path says */
  async run(): Promise<Played> {
    const { requests } = this.#setting.place.server;
    const before = requests.length;
    try {
      let result = await this.#live([], (agent) => agent.start(TASK));
      for (let fact = this.#script.next; fact?.type === 'run.resumed'; fact = this.#script.next) {
        const { rules, options } = resumptionFor(fact, this.#script, this.#spell);
        // As a file has them.
        const lines = JSON.parse(JSON.stringify(this.#lines)) as readonly JournalLine[];
        result = await this.#live(rules, (agent) => agent.resume(lines, options));
      }
      return {
        configuration: this.#configuration,
        hasOwnTools: Object.keys(this.#setting.place.tools).length > 0,
        isEarly: this.#isEarly,
        prelude: this.#prelude,
        lines: this.#lines,
        states: this.#states,
        result,
        requests: requests.slice(before),
        replies: this.#replies,
        ...this.#setting.counts,
        deaths: this.#deaths,
      };
    } finally {
      this.#script.end();
    }
  }

  /** One process, until the run has stopped or the process has died. */
  #live(rules: readonly Rule[], begin: (agent: Agent) => AgentRun): Promise<RunResult> {
    this.#lives += 1;
    this.#isDead = false;
    const process = processFor(this.#setting, this.#token, rules);
    this.#process = process;
    this.#agentRun = begin(process.agent);
    return this.#agentRun.result;
  }

  /** Of the client of the process that lives. */
  get #token(): string {
    return `process ${this.#lives}`;
  }

  /** What the model's server answers to the request that has just come. */
  async respond({ headers }: ReceivedRequest): Promise<Reply> {
    const isOfLiving = (): boolean => headers['authorization'] === `Bearer ${this.#token}`;
    if (isOfLiving()) await this.#script.reach('model');
    const fact = await this.#script.until(MODEL_FACTS);
    // The run was aborted, or its process has died: nobody reads this.
    if (!isModelFact(fact ?? undefined) || fact === null || !isOfLiving())
      return { kind: 'stall', at: 0, reply: says('') };
    const { context } = this.#script.state;
    const before = moneyLeft(context.spent.tokens, context);
    const after = moneyLeft(context.spent.tokens + fact.cost.tokens, fact);
    const leaves = after === 'plenty' || after === before ? null : after;
    const real = this.#states.at(-1)?.context ?? context;
    const usage = {
      input_tokens: inputTokensFor(fact, leaves, real),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 1,
    };
    this.#maxTokens =
      MAX_TOKENS * (fact.type === 'model.truncated' && !fact.canGrow ? 2 ** context.growths : 64);
    const search = context.continuations > 0 ? this.#search : null;
    const reply = replyFor(fact, usage, this.#seed, search, this.#spell);
    this.#search = searchIn(reply) ?? this.#search;
    this.#replies.push(reply);
    return reply;
  }

  async #append(line: JournalLine): Promise<void> {
    if (this.#isDead) return;
    this.#lines.push(line);
    if (line.type === 'run.started') this.#states.push(startOf(line));
    if (!isFact(line)) return;
    const before = this.#states.at(-1);
    if (before === undefined) throw new Error('A journal begins with its header.');
    if (line.type === 'run.resumed') {
      this.#states.push(resumed(before, line));
      // Whoever resumes has the run a moment later.
      await Promise.resolve();
    } else this.#states.push(transition(agentLoop, before, line)[0]);
    await this.#script.recorded();
  }

  #inject(fact: FromOutside): void {
    const run = this.#agentRun;
    if (run === null) throw new Error('The run has not begun.');
    if (fact.type === 'run.resumed') this.#die(run);
    else if (fact.type === 'user.interjected')
      run.interject(fact.promptCost.summary.tokens >= AMOUNTS.huge ? 'x'.repeat(HUGE_BYTES) : WORDS);
    else if (fact.cause === 'user') run.abort();
    else if (fact.cause === 'signal') run.interrupt('SIGINT');
    else this.#process?.time.pass();
  }

  /** What a dead process would still have recorded is lost, and what it had under way ends. One that has stopped is done. */
  #die(run: AgentRun): void {
    if (this.#script.state.status !== 'active') return;
    this.#isDead = true;
    this.#deaths += 1;
    run.abort();
  }
}

/** What the first request may cost an aborted run tells. */
function budgetIn(setting: Setting): number | null {
  const { budget = null } = setting.configuration;
  if (budget === null) return null;
  const journal = memoryJournal();
  processFor({ ...setting, journal }, 'none', [])
    .agent.start(TASK)
    .abort();
  const [header] = journal.lines;
  if (header?.type !== 'run.started') throw new Error('A journal begins with its header.');
  return budgetFor(budget, header);
}

const MODEL_FACTS = [
  'model.answered',
  'model.called_tools',
  'model.paused',
  'model.truncated',
  'model.refused',
  'model.overflowed',
  'model.failed',
] as const satisfies readonly LoopEvent['type'][];

/** A call succeeds although the run was aborted: it must have begun before. */
const endsBesideAbort = (path: Path): boolean => {
  let isAborted = false;
  return path.some(({ event }) => {
    isAborted = event.type === 'run.aborted' || (isAborted && event.type !== 'run.resumed');
    return isAborted && 'outcome' in event && event.outcome.kind === 'succeeded';
  });
};

const startOf = (header: JournalHeader): Snapshot => initialTransition(agentLoop, header)[0];
