/** One process of a played run: an agent with a client, tools, a person and a clock of its own. */
import { createAgent, type Agent } from '../agent.ts';
import type { ResumeOptions } from '../agent-resume.ts';
import { anthropic } from '../model/anthropic.ts';
import type { Journal, Model, Rule } from '../ports.ts';
import type { StrictServer } from '../testing/server.ts';
import type { LoopEvent } from '../../machines/index.ts';
import { isDistrust } from './alphabet.ts';
import { inputOf, type Configuration } from './configuration.ts';
import { personIn, Time } from './outside.ts';
import { rulesWith, toolsWith, type OwnTools, type Spelling } from './own-tools.ts';
import { isSilent } from './prelude.ts';
import type { Script } from './script.ts';
import { workbenchFor, type Workbench } from './workbench.ts';

/** Where a path is played. */
export interface Place extends OwnTools {
  readonly workdir: string;
  readonly python: string;
  readonly server: StrictServer;
}

export interface Setting {
  readonly configuration: Configuration;
  readonly place: Place;
  readonly script: Script;
  readonly tokenBudget: number | null;
  /** Of a script that is to time out. */
  readonly pythonTimeoutMs: number;
  readonly journal: Journal;
  readonly counts: Workbench['counts'];
  /** Of the model, as it is when it is asked. */
  readonly maxTokens: () => number;
}

export interface Process {
  readonly agent: Agent;
  readonly time: Time;
}

/** `max_tokens` of the first request of a turn. */
export const MAX_TOKENS = 1_024;
const DEADLINE_MS = 3_600_000;

/**
 * @param token that its client sends: requests of an earlier process are told by it
 * @param rules beside those that the run begins with
 */
export function processFor(setting: Setting, token: string, rules: readonly Rule[]): Process {
  const { configuration, place, script, tokenBudget, journal } = setting;
  const { limits, onLimit } = inputOf(configuration);
  const { budget: _, ...counts } = limits;
  const { aborts = [] } = configuration;
  const time = new Time(script);
  const workbench = workbenchFor(
    script,
    place.workdir,
    place.python,
    setting.pythonTimeoutMs,
    setting.counts,
  );
  const agent = createAgent({
    model: modelOf(place.server, token, setting.maxTokens),
    tools: toolsWith(workbench.tools, place.tools, script, place.workdir),
    workdir: place.workdir,
    rules: [...rulesWith(place), ...rules],
    maxTokens: MAX_TOKENS,
    limits: { ...counts, tokenBudget, timeoutMs: aborts.includes('deadline') ? DEADLINE_MS : null },
    onLimit,
    approve: personIn(script),
    journal,
    clock: time.clock,
  });
  return { agent, time };
}

function modelOf({ url }: StrictServer, token: string, maxTokens: () => number): Model {
  const model = anthropic('claude-opus-5-5', { authToken: token, baseURL: url });
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

type Resumed = Extract<LoopEvent, { type: 'run.resumed' }>;

/** What a host says, so that a run goes on in this way. */
export function resumptionFor(
  fact: Resumed,
  { state }: Script,
  spell: Spelling,
): { readonly rules: readonly Rule[]; readonly options: ResumeOptions } {
  const { limits, hasWords, judgements } = fact;
  const before: Readonly<Record<string, unknown>> = { ...state.context.limits };
  // What is not said anew is the journal's.
  const changed = Object.entries(limits).filter(
    ([name, value]) => name !== 'budget' && before[name] !== value,
  );
  const denied = judgements.filter(({ verdict }) => verdict === 'deny').map(({ callId }) => callId);
  const calls = isDistrust(fact) ? [] : state.context.calls.filter(({ id }) => denied.includes(id));
  return {
    rules: calls.map((call) => ({ tool: spell(call).name, verdict: 'deny' })),
    options: {
      ...(changed.length > 0 && { limits: Object.fromEntries(changed) }),
      ...(hasWords && !isSilent(fact) && { message: WORDS }),
      ...(isDistrust(fact) && { isTrusted: false }),
    },
  };
}

/** What the user says. */
export const WORDS = 'And the median?';
