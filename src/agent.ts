/** The loop for people who embed it: options in, a run out. */
import { resolve } from 'node:path';
import type { OnLimit } from '../machines/index.ts';
import { limitsOf, parseOptions, type AgentOptions } from './agent-options.ts';
import { parseResumeOptions, resumption, rulesAfter, type ResumeOptions } from './agent-resume.ts';
import { openRun, type AgentRun, type RunPorts } from './agent-run.ts';
import { createBeforeTool } from './approval/before-tool.ts';
import { denyAll, fromFunction } from './approval/unattended.ts';
import { boundsFor, promptBound } from './budget/bounds.ts';
import { priceOf } from './budget/prices.ts';
import { systemClock } from './clock.ts';
import { DEFAULT_EFFORT, DEFAULT_MAX_TOKENS, DEFAULT_SYSTEM } from './defaults.ts';
import { UserError } from './errors.ts';
import { memoryJournal } from './journal/memory.ts';
import { wellFormed } from './model/json.ts';
import { runLoop } from './run.ts';
import { newRunId } from './run-id.ts';
import type {
  Approver,
  Clock,
  Confinement,
  JournalHeader,
  JournalLine,
  Rule,
  Toolbox,
  ToolDefinition,
} from './ports.ts';
import { storedRun } from './stored-run.ts';
import { createRedactor, secretsOf, type Redactor } from './text/redact.ts';
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
  /**
   * Goes on with a run from wherever its journal ends: in the middle of anything, while it waits, or after a stop. Task,
   * system text, effort, `max_tokens` and limits are those of the journal; tools must be the same as then. Rules of this
   * agent take the place of the journal's about the same calls, and stand beside the others. The new lines go to the agent's `journal`.
   * @param lines of the journal, as `readJournal`, `openJournal` or `memoryJournal` have them
   * @throws {UserError} when the run cannot go on like this (no message, no room, other tools): nothing has been sent
   */
  resume(lines: readonly JournalLine[], options?: ResumeOptions): AgentRun;
}

/**
 * @throws {UserError} when an option is unknown or out of range, two tools have one name, a rule can never match, or the
 * working folder is none
 */
export function createAgent(input: AgentOptions): Agent {
  const options = parseOptions(input);
  const clock = options.clock ?? systemClock;
  const texts = options.texts ?? instructive;
  const redact = options.redact ?? createRedactor(secretsOf(process.env));
  // What is wrong with the tools or the folder is to be said here, not when a run starts.
  const workdir = folderOf(options.workdir ?? '.', 'workdir');
  toolboxFor('', options, { workdir, rules: options.rules ?? [], redact });
  let isJournalTaken = false;

  const portsOf = (runId: string, held: Held): RunPorts => {
    const toolbox = toolboxFor(runId, options, { ...held, redact });
    return {
      model: maskedModel(options.model, redact),
      toolbox,
      approver: maskedApprover(approverOf(options, clock), redact),
      ...(options.beforeTool && {
        beforeTool: createBeforeTool(options.beforeTool, {
          approveAll: options.approveAll ?? false,
          clock,
          refusal: texts.toolbox.deniedByProgram,
          redact,
        }),
      }),
      journal: options.journal ?? memoryJournal(),
      clock,
      texts,
    };
  };
  const setUp = (runId: string, folder: string): void => {
    const hidden = (options.hidden ?? []).map((path) => resolve(path));
    for (const tool of options.tools ?? []) tool.setUp?.({ runId, workdir: resolve(folder), hidden });
  };
  const takeJournal = (): void => {
    if (options.journal !== undefined && isJournalTaken) {
      throw new UserError(
        'The journal of this agent has a run in it. Make an agent with a journal of its own for each run.',
      );
    }
    isJournalTaken = true;
  };
  return {
    start: (task) => {
      const runId = newRunId();
      const ports = portsOf(runId, { workdir, rules: options.rules ?? [] });
      const header = headerOf(runId, task, options, ports.toolbox.definitions, workdir, texts.name);
      setUp(runId, workdir);
      takeJournal();
      return openRun({ header, facts: [] }, ports, options.inspect, (watched, inbox) =>
        runLoop(header, watched, inbox),
      );
    },
    resume: (lines, request = {}) => {
      parseResumeOptions(request);
      const stored = storedRun(lines);
      const { header } = stored.state;
      checkSystem(header, options);
      const trusted = request.isTrusted ?? true;
      const folder =
        options.workdir === undefined && trusted && header.workdir !== null ? header.workdir : workdir;
      const held = {
        workdir: folderOf(folder, 'workdir'),
        rules: rulesAfter(header.rules, options.rules ?? [], trusted),
      };
      const ports = portsOf(header.runId, held);
      setUp(header.runId, folder);
      const confinements = confinementsOf(options);
      const now = { ...held, confinements, model: options.model, isTrusted: trusted };
      const go = resumption(stored, request, now, ports);
      takeJournal();
      return openRun({ header: stored.header, facts: stored.state.facts }, ports, options.inspect, go);
    },
  };
}

/** What a run holds to, be it new or resumed. */
interface Held {
  readonly workdir: string;
  readonly rules: readonly Rule[];
}

const toolboxFor = (
  runId: string,
  options: AgentOptions,
  { workdir, rules, redact }: Held & { readonly redact: Redactor },
): Toolbox =>
  createToolbox({
    runId,
    tools: options.tools ?? [],
    rules,
    approveAll: options.approveAll ?? false,
    workdir,
    texts: options.texts ?? instructive,
    hidden: (options.hidden ?? []).map((folder) => resolve(folder)),
    redact,
  });

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
  const limits = limitsOf(options.limits);
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
    confinements: confinementsOf(options),
    limits,
    onLimit: options.onLimit ?? ('summarise' satisfies OnLimit),
    timeoutMs: options.limits?.timeoutMs ?? null,
    rules: options.rules ?? [],
    texts,
    price,
    ...boundsFor(promptBound(start, []), price),
  };
}

const confinementsOf = ({ tools = [] }: AgentOptions): Readonly<Record<string, Confinement>> =>
  Object.fromEntries(
    tools.flatMap(({ definition, confinement }) => (confinement ? [[definition.name, confinement]] : [])),
  );

/** Thinking is bound to the system text as well. What is left out is the journal's. */
function checkSystem({ system }: JournalHeader, options: AgentOptions): void {
  if (options.system === undefined || options.system.toWellFormed() === system) return;
  throw new UserError(
    'The system text is not the one that the run began with. Leave it out, or go on as a new run without the thoughts of the model (forkedLines).',
  );
}
