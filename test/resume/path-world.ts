/** A world in memory that does what a path says, also to a second process that goes on where the first one died. */
import { initialTransition } from 'xstate';
import { agentLoop, type LoopEvent, type ModelFact } from '../../machines/index.ts';
import { boundsFor, promptBound } from '../../src/budget/bounds.ts';
import { Inbox } from '../../src/inbox.ts';
import { AMOUNTS, inputOf, type Configuration } from '../../src/paths/configuration.ts';
import type { Snapshot } from '../../src/paths/graph.ts';
import { budgetFor, inputTokensFor } from '../../src/paths/money.ts';
import { moneyLeft } from '../../src/paths/responses.ts';
import type { Path } from '../../src/paths/walk.ts';
import type { JournalHeader, JournalLine, Model, ModelReply, Ports, ToolOutcome } from '../../src/ports.ts';
import { lateWords, resumptionOf } from '../../src/resume.ts';
import { resumeLoop, runLoop } from '../../src/run.ts';
import { RunState } from '../../src/run-state.ts';
import { instructive } from '../../src/tools/texts.ts';
import { failure, replies, text, toolUse } from '../support/world.ts';

const MAX_TOKENS = 1_024;
/** Of a text that a small budget cannot carry on. */
const HUGE = 'x'.repeat(15_000);
const DRAIN_MS = 2_000;

const definitions = ['read_file', 'run_python', 'delete_file'].map((name) => ({
  name,
  description: name,
  input_schema: { type: 'object' as const },
}));

/** What the model calls, by the first word of a call's fingerprint. */
const NAMES: Readonly<Record<string, string>> = {
  read: 'read_file',
  ask: 'run_python',
  deny: 'delete_file',
  invalid: 'rm',
};

export class PathWorld {
  readonly #configuration: Configuration;
  readonly #events: readonly LoopEvent[];
  readonly #states: readonly Snapshot[];
  readonly lines: JournalLine[] = [];
  /** Calls with effects, by id, and how often they were started for real. */
  readonly effects = new Map<string, number>();
  /** Responses that the model gave: each of them is billed. */
  billed = 0;
  #position = 0;
  #inbox = new Inbox();
  #real: RunState | null = null;
  #maxTokens = MAX_TOKENS * 64;

  constructor(path: Path, configuration: Configuration) {
    const [start] = initialTransition(agentLoop, inputOf(configuration));
    this.#configuration = configuration;
    this.#events = path.map(({ event }) => event);
    this.#states = [start, ...path.map(({ snapshot }) => snapshot)];
  }

  /** Plays the path from its start. */
  async run(): Promise<void> {
    const header = this.#header();
    this.#real = new RunState(header);
    await runLoop(header, this.#ports(), this.#inbox);
  }

  /** Another process finds so many lines, and goes on with them. */
  async resume(lines: readonly JournalLine[]): Promise<void> {
    const [header, ...rest] = lines;
    if (header?.type !== 'run.started') throw new Error('A journal begins with its header.');
    this.lines.splice(0, this.lines.length, ...lines);
    this.effects.clear();
    this.billed = 0;
    this.#inbox = new Inbox();
    const state = stateAfter(header, rest);
    this.#real = stateAfter(header, rest);
    this.#position = state.facts.filter(({ type }) => type !== 'run.resumed').length;
    this.#maxTokens = MAX_TOKENS * 64;
    const ports = this.#ports();
    const request = {
      limits: {},
      message: null,
      late: lateWords(state, null),
      price: header.price,
      rules: header.rules,
      workdir: null,
      confinements: {},
      timeoutMs: null,
      isTrusted: true,
    };
    await resumeLoop(state, resumptionOf(state, request, ports), ports, this.#inbox);
  }

  get #next(): LoopEvent | undefined {
    return this.#events[this.#position];
  }

  #header(): JournalHeader {
    const { limits, onLimit } = inputOf(this.#configuration);
    const start = { task: 'Do it.', system: 'You are tested.', tools: definitions };
    const bounds = boundsFor(promptBound(start, []), null);
    const { budget = null } = this.#configuration;
    const tokens = budget === null ? null : budgetFor(budget, bounds);
    return {
      type: 'run.started',
      format: 1,
      runId: 'swept',
      at: AT,
      ...start,
      model: 'test-model',
      effort: null,
      maxTokens: MAX_TOKENS,
      workdir: null,
      limits: { ...limits, budget: { nanoUsd: null, tokens } },
      onLimit,
      timeoutMs: null,
      rules: [],
      texts: instructive.name,
      price: null,
      ...bounds,
    };
  }

  #ports(): Ports {
    return {
      model: this.#model(),
      toolbox: {
        definitions,
        judge: (name) => JUDGEMENTS[name] ?? { verdict: 'invalid', effects: 'none', refusal: `No ${name}.` },
        run: async ({ id, name }) => this.#outcomeOf(id, name),
      },
      approver: {
        decide: async ({ id }) => {
          const fact = this.#find('approval.decided', ({ callId }) => callId === id);
          return fact?.decision === 'deny'
            ? { decision: 'deny', by: 'host', reason: null }
            : { decision: 'approve', by: 'host' };
        },
        raiseLimit: async () => (this.#next?.type === 'limit.raised' ? this.#next.turns : 0),
      },
      journal: { append: async (line) => this.#append(line) },
      clock: {
        date: () => AT,
        now: () => 0,
        random: () => 0,
        sleep: (ms, signal) => (ms === DRAIN_MS ? fired(signal) : Promise.resolve()),
      },
      onDelta: () => undefined,
      texts: instructive,
    };
  }

  #model(): Model {
    const maxTokens = (): number => this.#maxTokens;
    return {
      id: 'test-model',
      price: null,
      limits: {
        contextWindow: 200_000,
        get maxTokens() {
          return maxTokens();
        },
      },
      send: async () => {
        const index = this.#events.findIndex((fact, at) => at >= this.#position && isModelFact(fact));
        const fact = this.#events[index];
        const before = this.#states[index]?.context;
        this.billed += 1;
        if (fact === undefined || before === undefined || !isModelFact(fact)) return replies([text('Done.')]);
        return this.#replyTo(fact, before);
      },
    };
  }

  #replyTo(fact: ModelFact, before: Snapshot['context']): ModelReply {
    const left = moneyLeft(before.spent.tokens, before);
    const after = moneyLeft(before.spent.tokens + fact.cost.tokens, fact);
    const leaves = after === 'plenty' || after === left ? null : after;
    const real = this.#real?.snapshot.context ?? before;
    const usage = { input_tokens: inputTokensFor(fact, leaves, real), output_tokens: 1 };
    const isShort = fact.type === 'model.truncated' && !fact.canGrow;
    this.#maxTokens = MAX_TOKENS * (isShort ? 2 ** before.growths : 64);
    const calls = 'calls' in fact ? fact.calls : [];
    const blocks = calls.map(({ id, fingerprint }) =>
      toolUse(id, NAMES[fingerprint.split(' ')[0] ?? ''], { what: fingerprint }),
    );
    if (fact.type !== 'model.failed')
      return replies([text('Now.'), ...blocks], STOP_REASONS[fact.type], usage);
    const { isRetryable, reason } = fact;
    if (fact.cost.tokens > 1) return failure({ isRetryable, reason, usage, billing: 'partial' });
    this.billed -= 1;
    return failure({ isRetryable, reason });
  }

  #outcomeOf(callId: string, name: string): ToolOutcome {
    if (name === 'run_python') this.effects.set(callId, (this.effects.get(callId) ?? 0) + 1);
    const fact = this.#find('tool.finished', (finished) => finished.callId === callId);
    const content = (fact?.promptCost.summary.tokens ?? 0) >= AMOUNTS.huge ? HUGE : 'It went.';
    const kind = fact?.outcome.kind ?? 'succeeded';
    if (kind === 'timed_out') return { kind, content, afterMs: 1 };
    return { kind: kind === 'failed' || kind === 'interrupted' ? kind : 'succeeded', content };
  }

  #find<Type extends LoopEvent['type']>(
    type: Type,
    fits: (fact: Extract<LoopEvent, { type: Type }>) => boolean,
  ): Extract<LoopEvent, { type: Type }> | undefined {
    return this.#events
      .slice(this.#position)
      .find((fact): fact is Extract<LoopEvent, { type: Type }> => isOf(fact, type) && fits(fact));
  }

  #append(line: JournalLine): void {
    // As a file has it: what changes in memory afterwards is not recorded.
    this.lines.push(JSON.parse(JSON.stringify(line)));
    if (line.type !== 'run.started' && line.type !== 'run.ended') this.#real?.take(line);
    if (line.type !== 'run.started' && line.type !== 'run.resumed' && line.type !== 'run.ended')
      this.#position += 1;
    const fact = this.#next;
    if (fact?.type === 'user.interjected') {
      const isHuge = fact.promptCost.summary.tokens >= AMOUNTS.huge;
      this.#inbox.put({ kind: 'interjection', text: isHuge ? HUGE : 'And the median?' });
    } else if (fact?.type === 'run.aborted') {
      this.#inbox.put({ kind: 'abort', cause: fact.cause, by: 'test' });
    }
  }
}

const AT = '2026-12-01T00:00:00.000Z';

const JUDGEMENTS: Readonly<Record<string, ReturnType<Ports['toolbox']['judge']>>> = {
  read_file: { verdict: 'allow', effects: 'none', refusal: null },
  run_python: { verdict: 'ask', effects: 'some', refusal: null },
  delete_file: { verdict: 'deny', effects: 'some', refusal: 'A rule denies it.' },
};

const STOP_REASONS: Readonly<Record<Exclude<ModelFact['type'], 'model.failed'>, string>> = {
  'model.answered': 'end_turn',
  'model.called_tools': 'tool_use',
  'model.paused': 'pause_turn',
  'model.truncated': 'max_tokens',
  'model.refused': 'refusal',
  'model.overflowed': 'model_context_window_exceeded',
};

function stateAfter(header: JournalHeader, lines: readonly JournalLine[]): RunState {
  const state = new RunState(header);
  for (const line of lines) if (line.type !== 'run.ended' && line.type !== 'run.started') state.take(line);
  return state;
}

const isModelFact = (fact: LoopEvent): fact is ModelFact => fact.type.startsWith('model.');

const isOf = <Type extends LoopEvent['type']>(
  fact: LoopEvent,
  type: Type,
): fact is Extract<LoopEvent, { type: Type }> => fact.type === type;

const fired = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
