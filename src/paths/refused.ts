/** Facts that must not happen in a state: the machine refuses them, and the driver would not record them. */
import type {
  CallHead,
  Effect,
  LoopContext,
  LoopEvent,
  OpenCall,
  OutcomeKind,
} from '../../machines/index.ts';
import { isOpen, mayRun } from './calls.ts';
import { tokens } from './configuration.ts';

const NOTHING = tokens(0);

/** Every fact that has no place here, given the calls there are. */
export const refusedAt = (effect: Effect, context: LoopContext): readonly LoopEvent[] => [
  ...elsewhere(effect, context),
  ...REFUSED[effect](context),
];

const REFUSED: Readonly<Record<Effect, (context: LoopContext) => readonly LoopEvent[]>> = {
  callModel: () => badBatches('turn'),
  askForSummary: () => badBatches('summary'),
  backOff: () => [],
  askApproval: ({ calls }) => [
    decision('toolu_unknown', 'ask a'),
    ...calls.map(({ id }) => decision(id, 'another input')),
    ...calls.filter((call) => !isUndecided(call)).map(({ id, inputHash }) => decision(id, inputHash)),
  ],
  executeTools: ({ calls }) => [
    { type: 'tool.started', callId: 'toolu_unknown' },
    ...calls
      .filter((call) => call.status !== 'open' || !mayRun(call))
      .map(({ id }): LoopEvent => ({ type: 'tool.started', callId: id })),
    finished('toolu_unknown', 'succeeded'),
    ...outOfTurn(calls),
    ...calls.filter(isOpen).slice(0, 1).flatMap(badEndings),
  ],
  closeCalls: ({ calls }) => [
    { type: 'run.aborted', cause: 'user', cost: NOTHING },
    finished('toolu_unknown', 'not_run'),
    ...outOfTurn(calls),
    ...calls
      .filter(isOpen)
      .slice(0, 1)
      .flatMap(({ id, status }) =>
        (status === 'started' ? NEVER_OF_STARTED : NEVER_OF_CLOSED).map((kind) => finished(id, kind)),
      ),
  ],
  askToContinue: () =>
    [0, -1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER].map((turns) => ({ type: 'limit.raised', turns })),
};

const isUndecided = ({ verdict, decision: decided }: OpenCall): boolean =>
  verdict === 'ask' && decided === null;

const decision = (callId: string, inputHash: string): LoopEvent => ({
  type: 'approval.decided',
  callId,
  inputHash,
  decision: 'approve',
});

const finished = (callId: string, kind: OutcomeKind): LoopEvent => ({
  type: 'tool.finished',
  callId,
  outcome: { kind },
  promptCost: { next: NOTHING, summary: NOTHING },
});

/** Results come in the order of the calls, once for each. */
const outOfTurn = (calls: readonly OpenCall[]): readonly LoopEvent[] => {
  const next = calls.find(isOpen);
  return calls
    .filter((call) => call !== next)
    .map((call) => finished(call.id, call.status === 'open' ? 'not_run' : 'succeeded'));
};

const NEVER_OF_STARTED = ['denied', 'not_run'] as const satisfies readonly OutcomeKind[];
const NEVER_OF_CLOSED = ['succeeded', 'failed', 'denied', 'timed_out', 'interrupted'] as const;

/** Nothing succeeds without having started; what has started was neither denied nor left out. */
function badEndings(call: OpenCall): readonly LoopEvent[] {
  if (call.status === 'started') return NEVER_OF_STARTED.map((kind) => finished(call.id, kind));
  const right: OutcomeKind | null = mayRun(call) ? null : call.verdict === 'invalid' ? 'failed' : 'denied';
  return ALL_KINDS.filter((kind) => kind !== right).map((kind) => finished(call.id, kind));
}

const ALL_KINDS = [
  'succeeded',
  'failed',
  'denied',
  'timed_out',
  'interrupted',
  'not_run',
] as const satisfies readonly OutcomeKind[];

const HEAD = { cost: NOTHING, nextCost: NOTHING, summaryCost: NOTHING };
const TWIN: CallHead = { id: 'toolu_x', name: 'read', fingerprint: 'x', inputHash: 'x', verdict: 'allow' };

/** The API's `tool_use` without a call, and two calls with one id. */
const badBatches = (request: 'turn' | 'summary'): readonly LoopEvent[] =>
  [[], [TWIN, TWIN]].map((calls) => ({ type: 'model.called_tools', request, ...HEAD, calls }));

/** Facts that belong to other effects. */
function elsewhere(effect: Effect, { calls }: LoopContext): readonly LoopEvent[] {
  const isAsking = effect === 'callModel' || effect === 'askForSummary';
  const ids = [...calls.map(({ id }) => id), 'toolu_unknown'];
  return [
    ...(isAsking ? [] : RESPONSES),
    ...(effect === 'backOff' ? [] : [{ type: 'retry.due' } as const]),
    ...(effect === 'askApproval' ? [] : ids.map((id) => decision(id, hashOf(calls, id)))),
    ...(effect === 'executeTools' ? [] : ids.map((callId): LoopEvent => ({ type: 'tool.started', callId }))),
    ...(effect === 'executeTools' || effect === 'closeCalls'
      ? []
      : ids.flatMap((id) => ALL_KINDS.map((kind) => finished(id, kind)))),
    ...(effect === 'askToContinue'
      ? []
      : [{ type: 'limit.raised', turns: 1 } as const, { type: 'limit.kept' } as const]),
  ];
}

const hashOf = (calls: readonly OpenCall[], id: string): string =>
  calls.find((call) => call.id === id)?.inputHash ?? 'x';

const RESPONSES: readonly LoopEvent[] = (['turn', 'summary'] as const).flatMap((request): LoopEvent[] => [
  { type: 'model.answered', request, ...HEAD, calls: [] },
  { type: 'model.called_tools', request, ...HEAD, calls: [TWIN] },
  { type: 'model.paused', request, ...HEAD },
  { type: 'model.truncated', request, ...HEAD, calls: [], canGrow: true },
  { type: 'model.refused', request, ...HEAD },
  { type: 'model.overflowed', request, ...HEAD },
  { type: 'model.failed', request, ...HEAD, isRetryable: true, reason: 'model_failed' },
]);
