/**
 * What can happen in each resting state: every fact, with every payload that a guard can tell from another. It is typed
 * over the effects, so a resting state without its facts does not compile.
 */
import type {
  Amount,
  Effect,
  LoopContext,
  LoopEvent,
  ModelFact,
  OpenCall,
  OutcomeKind,
} from '../../machines/index.ts';
import { callOf, isOpen, mayRun, nextInBatch } from './calls.ts';
import {
  AMOUNTS,
  BUDGET,
  SPENT,
  tokens,
  type CallKind,
  type Configuration,
  type Money,
} from './configuration.ts';

type FactsOf = (context: LoopContext, configuration: Configuration) => readonly LoopEvent[];

const NOTHING = tokens(0);

/** The facts that the driver can meet in this state, be they of the effect or from outside. */
export const factsAt = (
  effect: Effect,
  context: LoopContext,
  configuration: Configuration,
): readonly LoopEvent[] => [
  ...FACTS[effect](context, configuration),
  ...interjections(effect, context, configuration),
  ...aborts(effect, context, configuration),
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
  executeTools: ({ calls, nextCost }, configuration) => {
    const next = nextInBatch(calls);
    if (next === null) return [];
    const { call } = next;
    return next.step === 'start'
      ? [{ type: 'tool.started', callId: call.id }]
      : [
          ...endingsOf(call, configuration).map((kind) => finished(call, kind, NOTHING)),
          ...hugeResults(call, nextCost, configuration),
        ];
  },
  closeCalls: ({ calls }) => {
    const call = calls.find(isOpen);
    if (call === undefined) return [];
    if (call.status === 'open') return [finished(call, 'not_run', NOTHING)];
    // A call that was under way when the run was aborted may have ended by itself; one that was about to, has not.
    const isUnderWay = nextInBatch(calls)?.step === 'finish';
    const kinds: readonly OutcomeKind[] = isUnderWay ? ['interrupted', 'succeeded'] : ['interrupted'];
    return kinds.map((kind) => finished(call, kind, NOTHING));
  },
  askToContinue: ({ limits }, { maxTurns, raises = 1 }) => [
    ...(limits.maxTurns < maxTurns + raises ? [{ type: 'limit.raised', turns: 1 } as const] : []),
    { type: 'limit.kept' },
  ],
};

/** While calls that were under way are told to end, nobody listens. */
function interjections(
  effect: Effect,
  { hasUnread, calls }: LoopContext,
  { hasInterjections = false }: Configuration,
): readonly LoopEvent[] {
  const isEnding = effect === 'closeCalls' && calls.some(({ status }) => status === 'started');
  return hasInterjections && !hasUnread && !isEnding
    ? [{ type: 'user.interjected', promptCost: NOTHING }]
    : [];
}

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
    .map((cause) => ({ type: 'run.aborted', cause, cost: NOTHING }));
}

/** The deadline's clock stands still while a person is asked; it goes on with the first call that runs. */
function isClockStopped(effect: Effect, { calls }: LoopContext): boolean {
  if (effect === 'askApproval' || effect === 'askToContinue') return true;
  const hasBegun = calls.some(({ status }) => status !== 'open');
  return effect === 'executeTools' && !hasBegun && calls.some(({ decision }) => decision !== null);
}

const finished = (call: OpenCall, kind: OutcomeKind, promptCost: Amount): LoopEvent => ({
  type: 'tool.finished',
  callId: call.id,
  outcome: { kind },
  promptCost,
});

function endingsOf(
  call: OpenCall,
  { endings = ['succeeded', 'failed'] }: Configuration,
): readonly OutcomeKind[] {
  if (mayRun(call)) return endings;
  return [call.verdict === 'invalid' ? 'failed' : 'denied'];
}

/** A result so large that no further request with it can be paid. */
const hugeResults = (
  call: OpenCall,
  nextCost: Amount,
  { budget = null }: Configuration,
): readonly LoopEvent[] =>
  budget !== null && call.verdict === 'allow' && nextCost.tokens <= AMOUNTS.next
    ? [finished(call, 'succeeded', tokens(AMOUNTS.hugeResult))]
    : [];

function responses(
  request: ModelFact['request'],
  context: LoopContext,
  { batches, hasOddResponses = false }: Configuration,
): readonly LoopEvent[] {
  const { turn, growths, limits } = context;
  const callsOf = (batch: readonly CallKind[]) => batch.map((kind, index) => callOf(kind, turn + 1, index));
  const [first = []] = batches;
  const calls = callsOf(first);
  const levels = amountsIn(context);
  // What is left is looked at again where another request may follow; elsewhere it cannot matter.
  const here = levels.slice(0, 1).map((amounts) => ({ request, ...amounts }));
  const onward = levels.map((amounts) => ({ request, ...amounts }));
  const answers = context.hasUnread ? onward : here;
  const type = 'model.failed';
  return [
    ...answers.map((head) => ({ type: 'model.answered', ...head, calls: [] }) as const),
    ...batches.flatMap((batch) =>
      onward.map((head) => ({ type: 'model.called_tools', ...head, calls: callsOf(batch) }) as const),
    ),
    ...onward.map((head) => ({ type, ...head, isRetryable: true, reason: 'model_failed' }) as const),
    ...here.map((head) => ({ type, ...head, isRetryable: false, reason: 'model_failed' }) as const),
    ...(hasOddResponses ? odd() : []),
  ];

  function odd(): readonly LoopEvent[] {
    const canGrow = growths < limits.maxGrowths;
    return [
      ...onward.map((head) => ({ type: 'model.paused', ...head }) as const),
      ...here.flatMap((head): readonly LoopEvent[] => [
        { type: 'model.answered', ...head, calls },
        // It can grow only where the budget has room for more, so there is plenty left.
        ...(canGrow ? [{ type: 'model.truncated', ...head, calls: [], canGrow } as const] : []),
        { type: 'model.truncated', ...head, calls: [], canGrow: false },
        { type: 'model.truncated', ...head, calls, canGrow: false },
        { type: 'model.refused', ...head },
        { type: 'model.overflowed', ...head },
        { type, ...head, isRetryable: false, reason: 'context_window' },
      ]),
    ];
  }
}

type Amounts = Pick<ModelFact, 'cost' | 'nextCost' | 'summaryCost'>;

/** A response that leaves as much as there was, and those after which there is less. */
function amountsIn(context: LoopContext): readonly Amounts[] {
  const { spent, limits, cause } = context;
  if (limits.budget.tokens === null) return [{ cost: NOTHING, nextCost: NOTHING, summaryCost: NOTHING }];
  const now = LEVELS.indexOf(moneyLeft(spent.tokens, context));
  // Once there is a cause no more turns are asked: then it matters only whether a summary can be paid.
  const levels = cause === null ? LEVELS.slice(now) : LEVELS.filter((level) => level !== 'summary only');
  return levels.map((level, index) => ({
    cost: tokens(index === 0 ? 0 : SPENT[level] - spent.tokens),
    nextCost: tokens(AMOUNTS.next),
    summaryCost: tokens(AMOUNTS.summary),
  }));
}

const LEVELS: readonly Money[] = ['plenty', 'summary only', 'nothing'];

/** How much money is left, given what has been spent. */
export function moneyLeft(
  spent: number,
  { nextCost, summaryCost }: Pick<ModelFact, 'nextCost' | 'summaryCost'>,
  budget: number | null = BUDGET,
): Money {
  if (budget === null || spent + nextCost.tokens <= budget) return 'plenty';
  return spent + summaryCost.tokens <= budget ? 'summary only' : 'nothing';
}
