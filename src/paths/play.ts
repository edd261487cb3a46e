/** One path, played against the real driver, the real client over HTTP and real tools. Only the outside is scripted. */
import { initialTransition, transition } from 'xstate';
import { agentLoop, type LoopEvent } from '../../machines/index.ts';
import { createAgent, type Agent } from '../agent.ts';
import type { AgentRun } from '../agent-run.ts';
import { memoryJournal } from '../journal/memory.ts';
import { anthropic } from '../model/anthropic.ts';
import type { JournalHeader, JournalLine, Model, RecordedFact, RunResult } from '../ports.ts';
import { says, type Reply } from '../testing/reply.ts';
import type { LoggedRequest, StrictServer } from '../testing/server.ts';
import { moneyLeft } from './responses.ts';
import { AMOUNTS, inputOf, type Configuration } from './configuration.ts';
import type { Snapshot } from './graph.ts';
import { budgetFor, inputTokensFor } from './money.ts';
import { isModelFact, replyFor } from './replies.ts';
import { Script, type FromOutside } from './script.ts';
import { personIn, Time } from './outside.ts';
import type { Path } from './walk.ts';
import { HUGE_BYTES, workbenchFor, type Workbench } from './workbench.ts';

export interface Played {
  readonly lines: readonly JournalLine[];
  /** Where the machine rested at first and after each fact, folded from the journal. */
  readonly states: readonly Snapshot[];
  readonly result: RunResult;
  readonly requests: readonly LoggedRequest[];
  /** What the model's server answered, in the order of the requests. */
  readonly replies: readonly Reply[];
  /** Python scripts that ran. */
  readonly processes: number;
}

export interface Place {
  readonly workdir: string;
  readonly python: string;
  readonly server: StrictServer;
}

const TASK = 'What is the average in scores.csv?';
const MAX_TOKENS = 1_024;
const DEADLINE_MS = 3_600_000;
const PYTHON_MS = 1_000;
const SLOW_PYTHON_MS = 30_000;

export class Play {
  readonly #configuration: Configuration;
  readonly #seed: number;
  readonly #place: Place;
  readonly #script: Script;
  readonly #time: Time;
  readonly #workbench: Workbench;
  readonly #lines: JournalLine[] = [];
  readonly #states: Snapshot[] = [];
  readonly #replies: Reply[] = [];
  #search: string | null = null;
  #maxTokens = MAX_TOKENS * 64;
  #agentRun: AgentRun | null = null;

  constructor(path: Path, configuration: Configuration, seed: number, place: Place) {
    const [start] = initialTransition(agentLoop, inputOf(configuration));
    const timesOut = path.some(({ event }) => 'outcome' in event && event.outcome.kind === 'timed_out');
    this.#configuration = configuration;
    this.#seed = seed;
    this.#place = place;
    this.#script = new Script(path, start, seed % 2 === 1 && !endsBesideAbort(path), (fact) =>
      this.#inject(fact),
    );
    this.#time = new Time(this.#script);
    this.#workbench = workbenchFor(
      this.#script,
      place.workdir,
      place.python,
      timesOut ? PYTHON_MS : SLOW_PYTHON_MS,
    );
  }

  async run(): Promise<Played> {
    const before = this.#place.server.requests.length;
    const run = this.#agent(this.#budget()).start(TASK);
    this.#agentRun = run;
    const result = await run.result.finally(() => this.#script.end());
    return {
      lines: this.#lines,
      states: this.#states,
      result,
      requests: this.#place.server.requests.slice(before),
      replies: this.#replies,
      processes: this.#workbench.counts.processes,
    };
  }

  /** What the model's server answers to the request that has just come. */
  async respond(): Promise<Reply> {
    await this.#script.reach('model');
    const fact = await this.#script.until(MODEL_FACTS);
    // The run was aborted: nobody reads this.
    if (!isModelFact(fact ?? undefined) || fact === null) return { kind: 'stall', at: 0, reply: says('') };
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
    const reply = replyFor(fact, usage, this.#seed, context.continuations > 0 ? this.#search : null);
    this.#search = searchIn(reply) ?? this.#search;
    this.#replies.push(reply);
    return reply;
  }

  #agent(tokenBudget: number | null): Agent {
    const { limits, onLimit } = inputOf(this.#configuration);
    const { budget: _, ...counts } = limits;
    const { aborts = [] } = this.#configuration;
    return createAgent({
      model: this.#model(),
      tools: this.#workbench.tools,
      workdir: this.#place.workdir,
      rules: [{ tool: 'delete_file', verdict: 'deny' }],
      maxTokens: MAX_TOKENS,
      limits: { ...counts, tokenBudget, timeoutMs: aborts.includes('deadline') ? DEADLINE_MS : null },
      onLimit,
      approve: personIn(this.#script),
      journal: { append: (line) => this.#append(line) },
      clock: this.#time.clock,
    });
  }

  /** What the first request may cost is known when its run has begun: an aborted one tells. */
  #budget(): number | null {
    const { budget = null } = this.#configuration;
    if (budget === null) return null;
    const journal = memoryJournal();
    const agent = createAgent({ model: this.#model(), tools: this.#workbench.tools, journal });
    agent.start(TASK).abort();
    const [header] = journal.lines;
    if (header?.type !== 'run.started') throw new Error('A journal begins with its header.');
    return budgetFor(budget, header);
  }

  #model(): Model {
    const model = anthropic('claude-opus-5-5', { apiKey: 'none', baseURL: this.#place.server.url });
    const maxTokens = (): number => this.#maxTokens;
    return {
      ...model,
      limits: {
        contextWindow: model.limits.contextWindow,
        get maxTokens() {
          return maxTokens();
        },
      },
    };
  }

  async #append(line: JournalLine): Promise<void> {
    this.#lines.push(line);
    if (line.type === 'run.started') this.#states.push(startOf(line));
    if (!isFact(line)) return;
    const before = this.#states.at(-1);
    if (before === undefined) throw new Error('A journal begins with its header.');
    this.#states.push(transition(agentLoop, before, line)[0]);
    await this.#script.recorded();
  }

  #inject(fact: FromOutside): void {
    const run = this.#agentRun;
    if (run === null) throw new Error('The run has not begun.');
    if (fact.type === 'user.interjected')
      run.interject(
        fact.promptCost.summary.tokens >= AMOUNTS.huge ? 'x'.repeat(HUGE_BYTES) : 'And the median?',
      );
    else if (fact.cause === 'user') run.abort();
    else if (fact.cause === 'signal') run.interrupt('SIGINT');
    else this.#time.pass();
  }
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
  const at = path.findIndex(({ event }) => event.type === 'run.aborted');
  return (
    at >= 0 && path.slice(at).some(({ event }) => 'outcome' in event && event.outcome.kind === 'succeeded')
  );
};

/** The search that a reply pauses for. */
const searchIn = (reply: Reply): string | null =>
  reply.kind === 'message'
    ? (reply.content.flatMap(({ type, id }) => (type === 'server_tool_use' ? [String(id)] : []))[0] ?? null)
    : null;

const startOf = ({ limits, onLimit, nextCost, summaryCost }: JournalHeader): Snapshot =>
  initialTransition(agentLoop, { limits, onLimit, nextCost, summaryCost })[0];

const isFact = (line: JournalLine): line is RecordedFact =>
  line.type !== 'run.started' && line.type !== 'run.resumed' && line.type !== 'run.ended';
