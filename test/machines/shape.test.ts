import { describe, expect, it } from 'vitest';
import { agentLoop, guards, updates, type Effect, type StopReason } from '../../machines/index.ts';
import { childrenOf, statesOf, transitionsOf } from '../../src/chart/transitions.ts';
import { rules } from './rules/index.ts';
import { begin, inputWith, play, stateOf, take } from './support.ts';

const FINAL_STATES = {
  end_turn: 'stoppedEndTurn',
  max_turns: 'stoppedMaxTurns',
  budget: 'stoppedBudget',
  deadline: 'stoppedDeadline',
  stuck: 'stoppedStuck',
  max_tokens: 'stoppedMaxTokens',
  refusal: 'stoppedRefusal',
  context_window: 'stoppedContextWindow',
  model_failed: 'stoppedModelFailed',
  aborted: 'stoppedAborted',
} satisfies Record<StopReason, string>;

const EFFECTS = {
  callModel: 'callingModel',
  backOff: 'backingOff',
  askApproval: 'awaitingApproval',
  executeTools: 'executingTools',
  closeCalls: 'closingCalls',
  askToContinue: 'askingToContinue',
  askForSummary: 'finalSummary',
} satisfies Record<Effect, string>;

const states = statesOf(agentLoop);
const atomic = states.filter(({ type }) => type === 'atomic');
const resting = atomic.filter(({ always }) => always === undefined);

describe('final states', () => {
  it('are top-level, one for each stop reason, which is their literal output', () => {
    const finals = childrenOf(agentLoop.root).filter(({ type }) => type === 'final');
    expect(Object.fromEntries(finals.map(({ key, output }) => [key, output]))).toEqual(
      Object.fromEntries(Object.entries(FINAL_STATES).map(([reason, state]) => [state, { reason }])),
    );
  });

  it('are nowhere else: a final state inside a group does not end the run', () => {
    expect(states.filter(({ type }) => type === 'final')).toHaveLength(Object.keys(FINAL_STATES).length);
  });

  it('give the run its reason, turns, spend and summary', () => {
    for (const { input = inputWith(), steps } of rules) {
      const snapshot = play(
        input,
        steps.map(([fact]) => fact),
      );
      const { turn, spent, summary } = snapshot.context;
      const output = Object.entries(FINAL_STATES)
        .filter(([, state]) => state === stateOf(snapshot))
        .map(([reason]) => ({ reason, turns: turn, spent, summary }));
      expect(snapshot.output).toEqual(output[0]);
      expect(snapshot.status).toBe(output.length === 1 ? 'done' : 'active');
    }
  });
});

describe('effects', () => {
  it('are named by exactly the resting states, each by its own', () => {
    const named = states.filter(({ meta }) => meta !== undefined);
    expect(Object.fromEntries(named.map(({ key, meta }) => [key, meta]))).toEqual(
      Object.fromEntries(Object.entries(EFFECTS).map(([effect, state]) => [state, { effect }])),
    );
    expect(named).toEqual(resting);
  });

  it.each(Object.entries(EFFECTS))(
    '%s is named in the description of %s, for charts without meta',
    (effect, key) => {
      const description = resting.find((state) => state.key === key)?.description;
      expect(description).toMatch(new RegExp(`^Effect ${effect}: .+\\.$`));
    },
  );

  it('are named where a rule rests', () => {
    for (const { input = inputWith(), steps } of rules) {
      const snapshot = play(
        input,
        steps.map(([fact]) => fact),
      );
      const effects = Object.values(snapshot.getMeta()).map((meta) => meta?.effect);
      expect(effects.filter((effect) => effect !== undefined).map((effect) => EFFECTS[effect])).toEqual(
        snapshot.status === 'active' ? [stateOf(snapshot)] : [],
      );
    }
  });
});

describe('transient states', () => {
  it('take no facts, and end with a branch that has no guard', () => {
    const transient = atomic.filter(({ always }) => always !== undefined);
    expect(transient.map(({ transitions }) => transitions.size)).toEqual(transient.map(() => 0));
    expect(transient.map(({ always }) => always?.at(-1)?.guard)).toEqual(transient.map(() => undefined));
  });
});

describe('names', () => {
  const rows = transitionsOf(agentLoop);

  it('of updates in the chart are exactly the exported updates', () => {
    const { initialContext: _, ...named } = updates;
    expect(new Set(rows.flatMap(({ actions }) => actions))).toEqual(new Set(Object.keys(named)));
  });

  it('of guards in the chart are exactly the exported guards, but the one that effects ask', () => {
    const { isToolless: _, ...named } = guards;
    const asked = rows.flatMap(({ guard }) => (guard === null || guard === 'else' ? [] : [guard]));
    expect(new Set(asked)).toEqual(new Set(Object.keys(named)));
  });
});

describe('a snapshot', () => {
  it('F10: goes through JSON after every fact of every rule and comes to the same end', () => {
    for (const { input = inputWith(), steps } of rules) {
      let snapshot = begin(input);
      for (const [fact] of steps) {
        const { value, context } = snapshot;
        const record = JSON.stringify({ value, context });
        snapshot = take(agentLoop.resolveState(JSON.parse(record)), fact);
      }
      const direct = play(
        input,
        steps.map(([fact]) => fact),
      );
      expect([snapshot.value, snapshot.context, snapshot.output]).toEqual([
        direct.value,
        direct.context,
        direct.output,
      ]);
    }
  });
});
