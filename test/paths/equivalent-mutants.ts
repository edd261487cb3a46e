/** Changes of the chart that change nothing: each with its reason. */
interface Group {
  readonly why: string;
  readonly mutants: readonly string[];
}

const R = 'agentLoop.running';

export const EQUIVALENT: readonly Group[] = [
  {
    why: 'An abort has a cause. With open calls both states lead to closingCalls, without any to closing.',
    mutants: [
      `${R} on run.aborted: 0, to #${R}.deciding`,
      `${R} on run.aborted: 0, to #${R}.checkingClosedCalls`,
    ],
  },
  {
    why: 'Without open calls and with a cause that wants no summary, both lead to the final state of that cause.',
    mutants: [1, 2].flatMap((branch) => [
      `${R} on run.aborted: ${branch}, to #${R}.checkingClosedCalls`,
      `${R} on run.aborted: ${branch}, to #${R}.closing`,
    ]),
  },
  {
    why: 'The cause has just been blamed: the way back through checkingRequest, or through checkingClosedCalls, where no call is open and no summary was asked for yet, leads to wrappingUp as well.',
    mutants: [
      ...[1, 2].flatMap((branch) => [
        `${R}.checkingRequest always: ${branch}, to #${R}.checkingRequest`,
        `${R}.checkingRequest always: ${branch}, to #${R}.checkingClosedCalls`,
        `${R}.checkingRequest always: ${branch}, to nowhere`,
      ]),
      ...[0, 2].flatMap((branch) => [
        `${R}.checkingTurns always: ${branch}, to #${R}.checkingRequest`,
        `${R}.checkingTurns always: ${branch}, to #${R}.checkingClosedCalls`,
      ]),
    ],
  },
  {
    why: 'A failure that does not fit the context window is never one that passes, so at most one guard holds.',
    mutants: [`${R}.callingModel on model.failed: branches 0 and 1 change places`],
  },
  {
    why: 'Both states begin with the same question, and there are open calls.',
    mutants: [
      `${R}.deciding always: 0, to #${R}.checkingClosedCalls`,
      ...[0, 1].flatMap((branch) => [
        `${R}.checkingBudget always: ${branch}, to #${R}.deciding`,
        `${R}.checkingBudget always: ${branch}, to #${R}.checkingClosedCalls`,
      ]),
      `${R}.checkingClosedCalls always: 0, to #${R}.deciding`,
      `${R}.finalSummary on model.called_tools: 0, to #${R}.deciding`,
      `${R}.finalSummary on model.called_tools: 0, to #${R}.closingCalls`,
    ],
  },
  {
    why: 'The state has neither entry nor exit actions: to enter it again is to stay.',
    mutants: [
      `${R}.backingOff on run.resumed: 0, to #${R}.backingOff`,
      `${R}.closingCalls on run.resumed: 0, to #${R}.closingCalls`,
      `${R}.awaitingApproval on approval.decided: 1, to #${R}.awaitingApproval`,
      `${R}.executingTools on tool.started: 0, to #${R}.executingTools`,
      `${R}.executingTools on tool.finished: 1, to #${R}.executingTools`,
    ],
  },
  {
    why: 'With a cause, checkingRequest leads straight to wrappingUp.',
    mutants: [
      `${R}.checkingClosedCalls always: 1, to #${R}.checkingRequest`,
      `${R}.finalSummary on model.paused: 0, to #${R}.wrappingUp`,
      `${R}.finalSummary on model.truncated: 0, to #${R}.wrappingUp`,
    ],
  },
  {
    why: 'No call is open and the summary has its result: checkingClosedCalls leads to closing.',
    mutants: [
      `${R}.wrappingUp always: 1, to #${R}.checkingClosedCalls`,
      `${R}.finalSummary on model.paused: 1, to #${R}.checkingClosedCalls`,
      `${R}.finalSummary on model.refused: 0, to #${R}.checkingClosedCalls`,
      `${R}.finalSummary on model.overflowed: 0, to #${R}.checkingClosedCalls`,
      `${R}.finalSummary on model.failed: 1, to #${R}.checkingClosedCalls`,
    ],
  },
  {
    why: 'There is one cause, so at most one of these guards holds: their order is nothing.',
    mutants: [0, 1, 2, 3].map((at) => `${R}.closing always: branches ${at} and ${at + 1} change places`),
  },
];
