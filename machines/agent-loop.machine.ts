/**
 * The agent loop as a statechart. It only decides: a resting state names its effect, the driver performs it and sends
 * back facts. Facts land first; transient states (`always`) then decide with the updated context.
 *
 * One literal, so that Stately's importer reads it. Guards and updates are plain functions in the files beside it.
 */
import { assign, setup } from 'xstate';
import * as guards from './agent-loop.guards.ts';
import type { Effect, LoopContext, LoopInput, LoopOutput } from './agent-loop.context.ts';
import type { LoopEvent } from './agent-loop.types.ts';
import * as updates from './agent-loop.updates.ts';

// Stryker disable StringLiteral: it only empties them; test/paths/mutants.test.ts puts other states, guards and updates in their place.

export const agentLoop = setup({
  types: {
    context: {} as LoopContext,
    events: {} as LoopEvent,
    input: {} as LoopInput,
    output: {} as LoopOutput,
    meta: {} as { readonly effect: Effect },
  },
  guards: {
    isOverBudget: ({ context }) => guards.isOverBudget(context),
    isStuck: ({ context }) => guards.isStuck(context),
    isOutOfTurns: ({ context }) => guards.isOutOfTurns(context),
    isSummaryDue: ({ context }) => guards.isSummaryDue(context),
    isRaiseDue: ({ context }) => guards.isRaiseDue(context),
    isWrappingUp: ({ context }) => guards.isWrappingUp(context),
    canAskSummary: ({ context }) => guards.canAskSummary(context),
    wantsSummary: ({ context }) => guards.wantsSummary(context),
    wantsToHear: ({ context }) => guards.wantsToHear(context),
    hasOpenCalls: ({ context }) => guards.hasOpenCalls(context),
    needsApproval: ({ context }) => guards.needsApproval(context),
    canRetry: ({ context, event }) => guards.canRetry(context, event),
    canGrow: ({ context, event }) => guards.canGrow(context, event),
    canContinue: ({ context }) => guards.canContinue(context),
    isContextWindow: ({ context, event }) => guards.isContextWindow(context, event),
    isAwaited: ({ context, event }) => guards.isAwaited(context, event),
    isLastDecision: ({ context, event }) => guards.isLastDecision(context, event),
    canStart: ({ context, event }) => guards.canStart(context, event),
    canFinish: ({ context, event }) => guards.canFinish(context, event),
    isLastResult: ({ context, event }) => guards.isLastResult(context, event),
    canClose: ({ context, event }) => guards.canClose(context, event),
    hasDistinctCalls: ({ context, event }) => guards.hasDistinctCalls(context, event),
    isRaise: ({ context, event }) => guards.isRaise(context, event),
    isDeadline: ({ context, event }) => guards.isDeadline(context, event),
    isCausedByBudget: ({ context }) => guards.isCausedByBudget(context),
    isCausedByDeadline: ({ context }) => guards.isCausedByDeadline(context),
    isCausedByStuck: ({ context }) => guards.isCausedByStuck(context),
    isCausedByMaxTokens: ({ context }) => guards.isCausedByMaxTokens(context),
    isCausedByAbort: ({ context }) => guards.isCausedByAbort(context),
  },
  actions: {
    chargeResponse: assign(({ context, event }) => updates.chargeResponse(context, event)),
    countTurn: assign(({ context }) => updates.countTurn(context)),
    takeCalls: assign(({ context, event }) => updates.takeCalls(context, event)),
    countRetry: assign(({ context }) => updates.countRetry(context)),
    countGrowth: assign(({ context }) => updates.countGrowth(context)),
    countContinuation: assign(({ context }) => updates.countContinuation(context)),
    hearUser: assign(({ context }) => updates.hearUser(context)),
    recordInterjection: assign(({ context, event }) => updates.recordInterjection(context, event)),
    recordDecision: assign(({ context, event }) => updates.recordDecision(context, event)),
    recordStart: assign(({ context, event }) => updates.recordStart(context, event)),
    recordResult: assign(({ context, event }) => updates.recordResult(context, event)),
    settleCalls: assign(({ context }) => updates.settleCalls(context)),
    raiseLimit: assign(({ context, event }) => updates.raiseLimit(context, event)),
    keepLimit: assign(() => updates.keepLimit()),
    takeUp: assign(({ context, event }) => updates.takeUp(context, event)),
    chargeAbort: assign(({ context, event }) => updates.chargeAbort(context, event)),
    blameBudget: assign(() => updates.blameBudget()),
    blameStuck: assign(() => updates.blameStuck()),
    blameMaxTurns: assign(() => updates.blameMaxTurns()),
    blameMaxTokens: assign(() => updates.blameMaxTokens()),
    summaryAnswered: assign(() => updates.summaryAnswered()),
    summaryCalledTools: assign(() => updates.summaryCalledTools()),
    summaryTruncated: assign(() => updates.summaryTruncated()),
    summaryRefused: assign(() => updates.summaryRefused()),
    summaryFailed: assign(() => updates.summaryFailed()),
    summarySkipped: assign(({ context }) => updates.summarySkipped(context)),
  },
}).createMachine({
  id: 'agentLoop',
  description:
    'Sends system, tools and history to the model, runs the tools it calls, sends the results back, until the model stops or the loop stops it.',
  context: ({ input }) => updates.initialContext(input),
  output: ({ context, event }) => ({
    // Only a final state ends the machine, and each of them has a literal output (a test reads them all).
    reason: (event.output as Pick<LoopOutput, 'reason'>).reason,
    turns: context.turn,
    spent: context.spent,
    summary: context.summary,
  }),
  options: { maxIterations: 100 },
  initial: 'running',
  states: {
    running: {
      initial: 'checkingRequest',
      on: {
        'user.interjected': { actions: ['recordInterjection'] },
        'run.aborted': [
          { guard: 'hasOpenCalls', target: '.closingCalls', actions: ['chargeAbort'] },
          { guard: 'isDeadline', target: 'stoppedDeadline', actions: ['chargeAbort'] },
          { target: 'stoppedAborted', actions: ['chargeAbort'] },
        ],
        'run.resumed': { target: '.checkingRequest', actions: ['takeUp'] },
      },
      states: {
        checkingRequest: {
          description:
            'Every way to a request leads through here: is there money, and does asking still help?',
          always: [
            { guard: 'isWrappingUp', target: 'wrappingUp' },
            { guard: 'isOverBudget', target: 'wrappingUp', actions: ['blameBudget'] },
            { guard: 'isStuck', target: 'wrappingUp', actions: ['blameStuck'] },
            { target: 'checkingTurns' },
          ],
        },
        checkingTurns: {
          description: 'Is there a turn left, and is it the last one?',
          always: [
            { guard: 'isOutOfTurns', target: 'wrappingUp', actions: ['blameMaxTurns'] },
            { guard: 'isRaiseDue', target: 'askingToContinue' },
            { guard: 'isSummaryDue', target: 'wrappingUp', actions: ['blameMaxTurns'] },
            { target: 'callingModel', actions: ['hearUser'] },
          ],
        },
        callingModel: {
          description: 'Effect callModel: one request is out.',
          meta: { effect: 'callModel' },
          on: {
            'model.answered': { target: 'deciding', actions: ['chargeResponse', 'countTurn', 'takeCalls'] },
            'model.called_tools': {
              guard: 'hasDistinctCalls',
              target: 'checkingBudget',
              actions: ['chargeResponse', 'countTurn', 'takeCalls'],
            },
            'model.paused': [
              {
                guard: 'canContinue',
                target: 'checkingRequest',
                actions: ['chargeResponse', 'countContinuation'],
              },
              {
                target: '#agentLoop.stoppedModelFailed',
                actions: ['chargeResponse', 'countContinuation'],
              },
            ],
            'model.truncated': [
              { guard: 'canGrow', target: 'checkingRequest', actions: ['chargeResponse', 'countGrowth'] },
              {
                target: 'checkingClosedCalls',
                actions: ['chargeResponse', 'countTurn', 'takeCalls', 'blameMaxTokens'],
              },
            ],
            'model.refused': {
              target: '#agentLoop.stoppedRefusal',
              actions: ['chargeResponse', 'countTurn'],
            },
            'model.overflowed': {
              target: '#agentLoop.stoppedContextWindow',
              actions: ['chargeResponse', 'countTurn'],
            },
            'model.failed': [
              { guard: 'canRetry', target: 'backingOff', actions: ['chargeResponse', 'countRetry'] },
              {
                guard: 'isContextWindow',
                target: '#agentLoop.stoppedContextWindow',
                actions: ['chargeResponse'],
              },
              { target: '#agentLoop.stoppedModelFailed', actions: ['chargeResponse'] },
            ],
          },
        },
        backingOff: {
          description: 'Effect backOff: waiting to send the same turn again.',
          meta: { effect: 'backOff' },
          on: {
            'retry.due': { target: 'checkingRequest' },
            'run.resumed': { actions: ['takeUp'] },
          },
        },
        deciding: {
          description: 'The model has answered: is that the end of the run?',
          always: [
            { guard: 'hasOpenCalls', target: 'closingCalls' },
            { guard: 'wantsToHear', target: 'checkingRequest' },
            { target: '#agentLoop.stoppedEndTurn' },
          ],
        },
        checkingBudget: {
          description: 'Before tools run: could their results still be sent to the model?',
          always: [
            { guard: 'isOverBudget', target: 'closingCalls', actions: ['blameBudget'] },
            { guard: 'isOutOfTurns', target: 'closingCalls', actions: ['blameMaxTurns'] },
            { target: 'checkingApproval' },
          ],
        },
        checkingApproval: {
          description: 'Does a person have to decide first?',
          always: [{ guard: 'needsApproval', target: 'awaitingApproval' }, { target: 'executingTools' }],
        },
        awaitingApproval: {
          description:
            'Effect askApproval: asked calls wait for a decision; none runs before all are decided.',
          meta: { effect: 'askApproval' },
          on: {
            'approval.decided': [
              { guard: 'isLastDecision', target: 'checkingBudget', actions: ['recordDecision'] },
              { guard: 'isAwaited', actions: ['recordDecision'] },
            ],
            'run.resumed': { target: 'checkingBudget', actions: ['takeUp'] },
          },
        },
        executingTools: {
          description: 'Effect executeTools: allowed calls run, refused ones get their result.',
          meta: { effect: 'executeTools' },
          on: {
            'tool.started': { guard: 'canStart', actions: ['recordStart'] },
            'tool.finished': [
              { guard: 'isLastResult', target: 'checkingRequest', actions: ['recordResult', 'settleCalls'] },
              { guard: 'canFinish', actions: ['recordResult'] },
            ],
            'run.resumed': { target: 'checkingBudget', actions: ['takeUp'] },
          },
        },
        closingCalls: {
          description:
            'Effect closeCalls: calls that will not run get a result that says why. Not interruptible.',
          meta: { effect: 'closeCalls' },
          on: {
            'tool.finished': { guard: 'canClose', target: 'checkingClosedCalls', actions: ['recordResult'] },
            'run.aborted': {},
            'run.resumed': { actions: ['takeUp'] },
          },
        },
        checkingClosedCalls: {
          description: 'Has every call its result? Then on to what led here.',
          always: [
            { guard: 'hasOpenCalls', target: 'closingCalls' },
            { guard: 'wantsSummary', target: 'wrappingUp' },
            { guard: 'isWrappingUp', target: 'closing' },
            { target: 'deciding', actions: ['settleCalls'] },
          ],
        },
        askingToContinue: {
          description: 'Effect askToContinue: the turn limit is reached, a person is asked for more turns.',
          meta: { effect: 'askToContinue' },
          on: {
            'limit.raised': { guard: 'isRaise', target: 'checkingRequest', actions: ['raiseLimit'] },
            'limit.kept': { target: 'checkingRequest', actions: ['keepLimit'] },
          },
        },
        wrappingUp: {
          description: 'Is there a turn and money left for a final summary?',
          always: [
            { guard: 'canAskSummary', target: 'finalSummary', actions: ['hearUser'] },
            { target: 'closing', actions: ['summarySkipped'] },
          ],
        },
        finalSummary: {
          description:
            'Effect askForSummary: the last turn, tools disabled, the model gives its best answer.',
          meta: { effect: 'askForSummary' },
          on: {
            'model.answered': {
              target: 'checkingClosedCalls',
              actions: ['chargeResponse', 'countTurn', 'takeCalls', 'summaryAnswered'],
            },
            'model.called_tools': {
              guard: 'hasDistinctCalls',
              target: 'checkingClosedCalls',
              actions: ['chargeResponse', 'countTurn', 'takeCalls', 'summaryCalledTools'],
            },
            'model.paused': [
              {
                guard: 'canContinue',
                target: 'checkingRequest',
                actions: ['chargeResponse', 'countContinuation', 'summaryFailed'],
              },
              { target: 'closing', actions: ['chargeResponse', 'countContinuation', 'summaryFailed'] },
            ],
            'model.truncated': [
              {
                guard: 'canGrow',
                target: 'checkingRequest',
                actions: ['chargeResponse', 'countGrowth', 'summaryTruncated'],
              },
              {
                target: 'checkingClosedCalls',
                actions: ['chargeResponse', 'countTurn', 'takeCalls', 'summaryTruncated'],
              },
            ],
            'model.refused': {
              target: 'closing',
              actions: ['chargeResponse', 'countTurn', 'summaryRefused'],
            },
            'model.overflowed': {
              target: 'closing',
              actions: ['chargeResponse', 'countTurn', 'summaryFailed'],
            },
            'model.failed': [
              {
                guard: 'canRetry',
                target: 'backingOff',
                actions: ['chargeResponse', 'countRetry', 'summaryFailed'],
              },
              { target: 'closing', actions: ['chargeResponse', 'summaryFailed'] },
            ],
          },
        },
        closing: {
          description:
            'Everything is settled: stop with what led here. The turn limit is the last cause left.',
          always: [
            { guard: 'isCausedByAbort', target: '#agentLoop.stoppedAborted' },
            { guard: 'isCausedByDeadline', target: '#agentLoop.stoppedDeadline' },
            { guard: 'isCausedByBudget', target: '#agentLoop.stoppedBudget' },
            { guard: 'isCausedByStuck', target: '#agentLoop.stoppedStuck' },
            { guard: 'isCausedByMaxTokens', target: '#agentLoop.stoppedMaxTokens' },
            { target: '#agentLoop.stoppedMaxTurns' },
          ],
        },
      },
    },
    stoppedEndTurn: { type: 'final', output: { reason: 'end_turn' } },
    stoppedMaxTurns: { type: 'final', output: { reason: 'max_turns' } },
    stoppedBudget: { type: 'final', output: { reason: 'budget' } },
    stoppedDeadline: { type: 'final', output: { reason: 'deadline' } },
    stoppedStuck: { type: 'final', output: { reason: 'stuck' } },
    stoppedMaxTokens: { type: 'final', output: { reason: 'max_tokens' } },
    stoppedRefusal: { type: 'final', output: { reason: 'refusal' } },
    stoppedContextWindow: { type: 'final', output: { reason: 'context_window' } },
    stoppedModelFailed: { type: 'final', output: { reason: 'model_failed' } },
    stoppedAborted: { type: 'final', output: { reason: 'aborted' } },
  },
});
