/** Builders for tests of the machine: every field has a harmless value, a test names only what it is about. */
import { initialTransition, transition, type SnapshotFrom } from 'xstate';
import {
  agentLoop,
  resumed,
  updates,
  type Amount,
  type PromptCost,
  type CallHead,
  type Limits,
  type LoopContext,
  type LoopEvent,
  type LoopInput,
  type LoopOutput,
  type OpenCall,
  type OutcomeKind,
} from '../../machines/index.ts';

export type Snapshot = SnapshotFrom<typeof agentLoop>;
type EventOf<Type extends LoopEvent['type']> = Extract<LoopEvent, { readonly type: Type }>;
type Changes<Type extends LoopEvent['type']> = Partial<Omit<EventOf<Type>, 'type'>>;

export const usd = (nanoUsd: number): Amount => ({ nanoUsd, tokens: 0 });
export const tokens = (count: number): Amount => ({ nanoUsd: 0, tokens: count });
export const FREE: Amount = { nanoUsd: 0, tokens: 0 };

const UNLIMITED = { nanoUsd: null, tokens: null };

export const limitsWith = (changes: Partial<Limits> = {}): Limits => ({
  maxTurns: 10,
  budget: UNLIMITED,
  maxRetries: 4,
  maxGrowths: 2,
  maxContinuations: 5,
  stuckAfter: 3,
  ...changes,
});

type InputChanges = Partial<Omit<LoopInput, 'limits'>> & { readonly limits?: Partial<Limits> };

export const inputWith = ({ limits, ...changes }: InputChanges = {}): LoopInput => ({
  limits: limitsWith(limits),
  onLimit: 'summarise',
  nextCost: FREE,
  summaryCost: FREE,
  ...changes,
});

type ContextChanges = Partial<Omit<LoopContext, 'limits'>> & { readonly limits?: Partial<Limits> };

export const contextWith = ({ limits, ...changes }: ContextChanges = {}): LoopContext => ({
  ...updates.initialContext(inputWith(limits === undefined ? {} : { limits })),
  ...changes,
});

/** A call as the model made it. Equal names have equal fingerprints. */
export const call = (id: string, changes: Partial<CallHead> = {}): CallHead => {
  const name = changes.name ?? 'read_file';
  return {
    id,
    name,
    fingerprint: `print of ${name}`,
    inputHash: `input of ${id}`,
    verdict: 'allow',
    ...changes,
  };
};

export const asked = (id: string): CallHead => call(id, { name: 'run_python', verdict: 'ask' });

export const openCall = (id: string, changes: Partial<OpenCall> = {}): OpenCall => ({
  ...call(id, changes),
  decision: null,
  status: 'open',
  ...changes,
});

const modelHead = { request: 'turn', cost: FREE, nextCost: FREE, summaryCost: FREE } as const;

export const answered = (changes: Changes<'model.answered'> = {}): LoopEvent => ({
  type: 'model.answered',
  ...modelHead,
  calls: [],
  ...changes,
});

export const called = (
  calls: readonly CallHead[] = [call('a')],
  changes: Changes<'model.called_tools'> = {},
): LoopEvent => ({ type: 'model.called_tools', ...modelHead, calls, ...changes });

export const paused = (changes: Changes<'model.paused'> = {}): LoopEvent => ({
  type: 'model.paused',
  ...modelHead,
  ...changes,
});

export const truncated = (changes: Changes<'model.truncated'> = {}): LoopEvent => ({
  type: 'model.truncated',
  ...modelHead,
  calls: [],
  canGrow: true,
  ...changes,
});

export const refused = (changes: Changes<'model.refused'> = {}): LoopEvent => ({
  type: 'model.refused',
  ...modelHead,
  ...changes,
});

export const overflowed = (changes: Changes<'model.overflowed'> = {}): LoopEvent => ({
  type: 'model.overflowed',
  ...modelHead,
  ...changes,
});

export const failed = (changes: Changes<'model.failed'> = {}): LoopEvent => ({
  type: 'model.failed',
  ...modelHead,
  isRetryable: true,
  reason: 'model_failed',
  ...changes,
});

export const retryDue: LoopEvent = { type: 'retry.due' };

export const approved = (callId: string, inputHash = `input of ${callId}`): LoopEvent => ({
  type: 'approval.decided',
  callId,
  inputHash,
  decision: 'approve',
});

export const denied = (callId: string): LoopEvent => ({
  type: 'approval.decided',
  callId,
  inputHash: `input of ${callId}`,
  decision: 'deny',
});

export const started = (callId: string): LoopEvent => ({ type: 'tool.started', callId });

/** A turn has a text in its own prompt and in that of the summary behind it. */
const twice = (amount: Amount): PromptCost => ({
  next: { nanoUsd: 2 * amount.nanoUsd, tokens: 2 * amount.tokens },
  summary: amount,
});

export const finished = (callId: string, kind: OutcomeKind = 'succeeded', promptCost = FREE): LoopEvent => ({
  type: 'tool.finished',
  callId,
  outcome: { kind },
  promptCost: twice(promptCost),
});

export const notRun = (callId: string): LoopEvent => finished(callId, 'not_run');

export const raised = (turns: number): LoopEvent => ({ type: 'limit.raised', turns });
export const kept: LoopEvent = { type: 'limit.kept' };

export const interjected = (promptCost = FREE): LoopEvent => ({
  type: 'user.interjected',
  promptCost: twice(promptCost),
});

export const aborted = (cause: EventOf<'run.aborted'>['cause'] = 'signal', cost = FREE): LoopEvent => ({
  type: 'run.aborted',
  cause,
  cost,
});

export const resumedWith = (changes: Changes<'run.resumed'> = {}): EventOf<'run.resumed'> => ({
  type: 'run.resumed',
  limits: limitsWith(),
  onLimit: 'summarise',
  judgements: [],
  hasWords: false,
  promptCost: twice(FREE),
  cost: FREE,
  ...changes,
});

type Value = Snapshot['value'];
/** Name of a state, without `running`. */
export type State = Extract<Value, string> | Extract<Value, { readonly running: string }>['running'];

export const stateOf = ({ value }: Snapshot): State => (typeof value === 'string' ? value : value.running);

export const begin = (input: LoopInput): Snapshot => initialTransition(agentLoop, input)[0];

/** @throws {Error} when the machine cannot take the fact */
export function take(snapshot: Snapshot, fact: LoopEvent): Snapshot {
  if (fact.type === 'run.resumed') return resumed(snapshot, fact);
  if (!snapshot.can(fact)) {
    throw new Error(`${stateOf(snapshot)} cannot take ${JSON.stringify(fact)}`);
  }
  return transition(agentLoop, snapshot, fact)[0];
}

/** The machine after `facts`, in their order. */
export const play = (input: LoopInput, facts: readonly LoopEvent[]): Snapshot =>
  facts.reduce(take, begin(input));

export type Step = readonly [LoopEvent, State];

/** One row of the specification: the facts in their order, each with the state that it leads to. */
export interface Rule {
  /** A true sentence. */
  readonly rule: string;
  readonly input?: LoopInput;
  /** `callingModel` where it is not said. */
  readonly start?: State;
  readonly steps: readonly Step[];
  readonly output?: Partial<LoopOutput>;
  readonly context?: Partial<LoopContext>;
}

/** A call that is started and ends, the last one open. */
export const runs = (id: string, next: State, kind: OutcomeKind = 'succeeded'): readonly [Step, Step] => [
  [started(id), 'executingTools'],
  [finished(id, kind), next],
];

/** A turn with one call that runs. */
export const toolTurn = (next: State, kind: OutcomeKind = 'succeeded'): readonly Step[] => [
  [called(), 'executingTools'],
  ...runs('a', next, kind),
];
