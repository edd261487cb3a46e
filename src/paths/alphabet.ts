/**
 * What can happen in each resting state: every fact, with every payload that a guard can tell from another. It is typed
 * over the effects, so a resting state without its facts does not compile.
 */
import type { SnapshotFrom } from 'xstate';
import type {
  agentLoop,
  Effect,
  LoopContext,
  LoopEvent,
  OpenCall,
  OutcomeKind,
  RunResumed,
} from '../../machines/index.ts';
import { effectOf } from '../effects/effect-of.ts';
import { isOpen, mayRun, nextInBatch } from './calls.ts';
import { AMOUNTS, promptCost, tokens, type Configuration } from './configuration.ts';
import { responses } from './responses.ts';

export const possibleFacts = (
  snapshot: SnapshotFrom<typeof agentLoop>,
  configuration: Configuration,
): LoopEvent[] =>
  snapshot.status === 'active' ? [...factsAt(effectOf(snapshot), snapshot.context, configuration)] : [];

type FactsOf = (context: LoopContext, configuration: Configuration) => readonly LoopEvent[];

/** The facts that the driver can meet in this state, be they of the effect or from outside. */
const factsAt = (
  effect: Effect,
  context: LoopContext,
  configuration: Configuration,
): readonly LoopEvent[] => [
  ...FACTS[effect](context, configuration),
  ...interjections(effect, context, configuration),
  ...aborts(effect, context, configuration),
  ...resumptions(effect, context, configuration),
];

const FACTS: Readonly<Record<Effect, FactsOf>> = {
  callModel: (context, configuration) => responses('turn', context, configuration),
  askForSummary: (context, configuration) => responses('summary', context, configuration),
  backOff: () => [{ type: 'retry.due' }],
  askApproval: ({ calls }) => {
    const call = calls.find(({ verdict, decision }) => verdict === 'ask' && decision === null);
    if (call === undefined) return [];
    const fact = { type: 'approval.decided', callId: call.id, inputHash: call.inputHash } as const;
    return [
      { ...fact, decision: 'approve' },
      { ...fact, decision: 'deny' },
    ];
  },
  executeTools: (context, configuration) => {
    const next = nextInBatch(context.calls);
    if (next === null) return [];
    const { call } = next;
    return next.step === 'start'
      ? [{ type: 'tool.started', callId: call.id }]
      : [
          ...endingsOf(call, configuration).map((kind) => finished(call, kind, 0)),
          ...(call.verdict === 'allow' && canBeHuge(context)
            ? [finished(call, 'succeeded', AMOUNTS.huge)]
            : []),
        ];
  },
  closeCalls: ({ calls }) => {
    const call = calls.find(isOpen);
    if (call === undefined) return [];
    if (call.status === 'open') return [finished(call, 'not_run', 0)];
    // A call that was under way when the run was aborted may have ended by itself; one that was about to, has not.
    const isUnderWay = nextInBatch(calls)?.step === 'finish';
    const kinds: readonly OutcomeKind[] = isUnderWay ? ['interrupted', 'succeeded'] : ['interrupted'];
    return kinds.map((kind) => finished(call, kind, 0));
  },
  askToContinue: ({ limits }, { maxTurns, raises = 1 }) => [
    ...(limits.maxTurns < maxTurns + raises ? [{ type: 'limit.raised', turns: 1 } as const] : []),
    { type: 'limit.kept' },
  ],
};

/** While calls that were under way are told to end, nobody listens. */
function interjections(
  effect: Effect,
  context: LoopContext,
  { hasInterjections = false }: Configuration,
): readonly LoopEvent[] {
  const { hasUnread, calls, limits } = context;
  const isEnding = effect === 'closeCalls' && calls.some(({ status }) => status === 'started');
  // One huge text a run is enough.
  const isFull = limits.budget.tokens !== null && !canBeHuge(context);
  if (!hasInterjections || hasUnread || isEnding || isFull) return [];
  const sizes = canBeHuge(context) ? [0, AMOUNTS.huge] : [0];
  return sizes.map((size) => ({ type: 'user.interjected', promptCost: promptCost(size) }));
}

/** Text so large that no further turn with it can be paid. */
const canBeHuge = ({ limits, nextCost }: LoopContext): boolean =>
  limits.budget.tokens !== null && nextCost.tokens <= AMOUNTS.next;

/** A signal leaves a run waiting that asks a person; closing is not stopped. */
function aborts(
  effect: Effect,
  context: LoopContext,
  { aborts: causes = [] }: Configuration,
): readonly LoopEvent[] {
  if (effect === 'closeCalls') return [];
  return causes
    .filter((cause) => !(cause === 'deadline' && isClockStopped(effect, context)))
    .filter((cause) => !(cause === 'signal' && effect === 'askApproval'))
    .map((cause) => ({ type: 'run.aborted', cause, cost: tokens(1) }));
}

/** As it was; with words; with another turn, or none; under rules that forbid a call; where decisions count no more. */
function resumptions(
  effect: Effect,
  { limits, hasUnread, calls, turn }: LoopContext,
  { maxTurns, onLimit = 'summarise', hasResumptions = false }: Configuration,
): readonly LoopEvent[] {
  if (!hasResumptions) return [];
  const plain = {
    type: 'run.resumed',
    limits,
    onLimit,
    judgements: [],
    hasWords: false,
    promptCost: promptCost(0),
    cost: tokens(0),
  } as const;
  const open = effect === 'askApproval' || effect === 'executeTools' ? calls.filter(isOpen) : [];
  return [
    plain,
    ...(hasUnread ? [] : [{ ...plain, hasWords: true }]),
    ...(limits.maxTurns > maxTurns
      ? []
      : [{ ...plain, limits: { ...limits, maxTurns: limits.maxTurns + 1 } }]),
    // No turn is left for the request that is due, or for the results of calls, which is looked at before they run.
    ...(turn > 0 && (open.length > 0 || effect === 'callModel' || effect === 'askToContinue')
      ? [{ ...plain, limits: { ...limits, maxTurns: turn } }]
      : []),
    ...open
      .filter(({ verdict }) => verdict === 'allow' || verdict === 'ask')
      .map(({ id }): LoopEvent => ({
        ...plain,
        judgements: [{ callId: id, verdict: 'deny', isDecisionKept: true }],
      })),
    ...distrusts(plain, calls),
  ];
}

/**
 * It goes on with a journal that others could have written: what was decided is asked again, and no call goes on. The field
 * is the player's own, the machine does not read it.
 */
interface Distrust extends RunResumed {
  readonly isTrusted: false;
}

export const isDistrust = (fact: LoopEvent): fact is Distrust => 'isTrusted' in fact;

function distrusts(plain: RunResumed, calls: readonly OpenCall[]): readonly Distrust[] {
  const judgements = calls
    .filter((call) => isOpen(call) && call.decision !== null)
    // A call that has begun, and that a rule forbids meanwhile, stays as it is.
    .filter(({ status, verdict }) => status === 'open' || verdict !== 'deny')
    .map(({ id, verdict, status }) =>
      status === 'started'
        ? ({ callId: id, verdict: 'deny', isDecisionKept: true } as const)
        : { callId: id, verdict, isDecisionKept: false },
    );
  return judgements.length === 0 ? [] : [{ ...plain, judgements, isTrusted: false }];
}

/** The deadline's clock stands still while a person is asked; it goes on with the first call that runs. */
function isClockStopped(effect: Effect, { calls }: LoopContext): boolean {
  if (effect === 'askApproval' || effect === 'askToContinue') return true;
  const hasBegun = calls.some(({ status }) => status !== 'open');
  return effect === 'executeTools' && !hasBegun && calls.some(({ decision }) => decision !== null);
}

const finished = (call: OpenCall, kind: OutcomeKind, size: number): LoopEvent => ({
  type: 'tool.finished',
  callId: call.id,
  outcome: { kind },
  promptCost: promptCost(size),
});

function endingsOf(
  call: OpenCall,
  { endings = ['succeeded', 'failed'] }: Configuration,
): readonly OutcomeKind[] {
  if (mayRun(call)) return endings;
  // It had begun in a process that died, and the rules of the next one forbid it.
  if (call.status === 'started') return ['interrupted'];
  return [call.verdict === 'invalid' ? 'failed' : 'denied'];
}
