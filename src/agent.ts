/** The loop for people who embed it: options in, a run out. */
import { resolve } from 'node:path';
import type { Limits, OnLimit } from '../machines/index.ts';
import { parseOptions, type AgentOptions } from './agent-options.ts';
import { denyAll, fromFunction } from './approval/unattended.ts';
import { boundsFor, promptBound } from './budget/bounds.ts';
import { priceOf } from './budget/prices.ts';
import { systemClock } from './clock.ts';
import { DEFAULT_EFFORT, DEFAULT_LIMITS, DEFAULT_MAX_TOKENS, DEFAULT_SYSTEM } from './defaults.ts';
import { UserError } from './errors.ts';
import { EventLog, type RunEvent } from './events.ts';
import { Inbox } from './inbox.ts';
import { mirrorOf, type Inspect } from './inspect/mirror.ts';
import { isFact } from './journal/lines.ts';
import { memoryJournal } from './journal/memory.ts';
import { wellFormed } from './model/json.ts';
import { runLoop } from './run.ts';
import { newRunId } from './run-id.ts';
import type { Approver, Clock, Journal, JournalHeader, RunResult, Toolbox, ToolDefinition } from './ports.ts';
import { createRedactor, secretsOf } from './text/redact.ts';
import { maskedApprover, maskedModel } from './masked-ports.ts';
import { instructive } from './tools/texts.ts';
import { createToolbox } from './tools/toolbox.ts';
import { folderOf } from './workdir.ts';

export interface Agent {
  /**
   * Starts a run of a task.
   * @throws {UserError} when the task is blank, or a budget in USD has no price to go by: nothing has been sent
   */
  start(task: string): AgentRun;
}

/** One run. Iterating it gives facts as they are recorded and text as it streams; not iterating it changes nothing. */
export interface AgentRun extends AsyncIterable<RunEvent> {
  readonly id: string;
  /** Rejects only when the journal cannot be written, or on a bug. */
  readonly result: Promise<RunResult>;
  /** Says something to the model; it joins the next request. */
  interject(text: string): void;
  /** Stops the run: it ends as `aborted`, with every call answered. */
  abort(by?: string): void;
  /** As a signal of the operating system: a run that waits for a person goes on waiting. */
  interrupt(by: string): void;
}

/**
 * @throws {UserError} when an option is unknown or out of range, two tools have one name, a rule names no tool, or the
 * working folder is none
 */
export function createAgent(input: AgentOptions): Agent {
  const options = parseOptions(input);
  const clock = options.clock ?? systemClock;
  const texts = options.texts ?? instructive;
  const workdir = folderOf(options.workdir ?? '.', 'workdir');
  const toolboxOf = (runId: string): Toolbox =>
    createToolbox({
      runId,
      tools: options.tools ?? [],
      rules: options.rules ?? [],
      approveAll: options.approveAll ?? false,
      workdir,
      texts,
      hidden: (options.hidden ?? []).map((folder) => resolve(folder)),
      redact: options.redact ?? createRedactor(secretsOf(process.env)),
    });
  // Once in vain: what is wrong with the tools is to be said here, not when a run starts.
  toolboxOf('');
  const redact = options.redact ?? createRedactor(secretsOf(process.env));
  let isJournalTaken = false;
  return {
    start: (task) => {
      const runId = newRunId();
      const toolbox = toolboxOf(runId);
      const header = headerOf(runId, task, options, toolbox.definitions, workdir, texts.name);
      if (options.journal !== undefined && isJournalTaken) {
        throw new UserError(
          'The journal of this agent has a run in it. Make an agent with a journal of its own for each run.',
        );
      }
      isJournalTaken = true;
      const ports = {
        model: maskedModel(options.model, redact),
        toolbox,
        approver: maskedApprover(approverOf(options, clock), redact),
        journal: options.journal ?? memoryJournal(),
        clock,
        texts,
      };
      return startRun(header, ports, options.inspect);
    },
  };
}

type RunPorts = Omit<Parameters<typeof runLoop>[1], 'onDelta'>;

function startRun(header: JournalHeader, ports: RunPorts, inspect: Inspect | undefined): AgentRun {
  const inbox = new Inbox();
  const events = new EventLog();
  const mirror = inspect === undefined ? null : mirrorOf(header, inspect);
  const journal: Journal = {
    append: async (line) => {
      await ports.journal.append(line);
      if (!isFact(line)) return;
      events.addFact(line);
      mirror?.take(line);
    },
  };
  const result = runLoop(
    header,
    { ...ports, journal, onDelta: (delta) => events.addDelta(delta) },
    inbox,
  ).finally(() => events.end());
  // Whoever awaits `result` gets the error; a listener that only iterates must not bring the process down.
  result.catch(() => undefined);
  return {
    id: header.runId,
    result,
    interject: (text) => {
      if (text.trim() !== '') inbox.put({ kind: 'interjection', text: text.toWellFormed() });
    },
    abort: (by = 'host') => inbox.put({ kind: 'abort', cause: 'user', by }),
    interrupt: (by) => inbox.put({ kind: 'abort', cause: 'signal', by }),
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
  };
}

const NOBODY =
  'This program has no way to ask for approval. Go on without this call, or say what you would have run.';

function approverOf({ approve }: AgentOptions, clock: Clock): Approver {
  if (approve === undefined) return denyAll(NOBODY);
  return typeof approve === 'function' ? fromFunction(approve, { timeoutMs: APPROVAL_MS, clock }) : approve;
}

/** How long a function of the host may take to decide. */
const APPROVAL_MS = 600_000;

function headerOf(
  runId: string,
  task: string,
  options: AgentOptions,
  tools: readonly ToolDefinition[],
  workdir: string,
  texts: string,
): JournalHeader {
  if (task.trim() === '') throw new UserError('The task is blank. Say what is to be done.');
  const start = {
    task: task.toWellFormed(),
    system: (options.system ?? DEFAULT_SYSTEM).toWellFormed(),
    // Half a character in a description would be refused with every request.
    tools: wellFormed(tools) as readonly ToolDefinition[],
  };
  const price = options.model.price ?? priceOf(options.model.id);
  const limits = limitsOf(options);
  if (limits.budget.nanoUsd !== null && price === null) {
    throw new UserError(
      `The price of ${options.model.id} is not known, so a budget in USD cannot be kept. Give the model its price, or set a budget in tokens.`,
    );
  }
  return {
    type: 'run.started',
    format: 1,
    runId,
    at: (options.clock ?? systemClock).date(),
    ...start,
    model: options.model.id,
    effort: options.effort === undefined ? DEFAULT_EFFORT : options.effort,
    maxTokens: Math.min(options.maxTokens ?? DEFAULT_MAX_TOKENS, options.model.limits.maxTokens),
    workdir,
    limits,
    onLimit: options.onLimit ?? ('summarise' satisfies OnLimit),
    timeoutMs: options.limits?.timeoutMs ?? null,
    rules: options.rules ?? [],
    texts,
    price,
    ...boundsFor(promptBound(start, []), price),
  };
}

function limitsOf({ limits = {} }: AgentOptions): Limits {
  const { maxUsd = null, tokenBudget = null } = limits;
  return {
    maxTurns: limits.maxTurns ?? DEFAULT_LIMITS.maxTurns,
    budget: { nanoUsd: maxUsd === null ? null : Math.round(maxUsd * 1e9), tokens: tokenBudget },
    maxRetries: limits.maxRetries ?? DEFAULT_LIMITS.maxRetries,
    maxGrowths: limits.maxGrowths ?? DEFAULT_LIMITS.maxGrowths,
    maxContinuations: limits.maxContinuations ?? DEFAULT_LIMITS.maxContinuations,
    stuckAfter: limits.stuckAfter ?? DEFAULT_LIMITS.stuckAfter,
  };
}
