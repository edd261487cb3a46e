import { describe, expect, it } from 'vitest';
import { createMachine, type AnyStateMachine } from 'xstate';
import { agentLoop } from '../../machines/index.ts';
import { toStatelyJson } from '../../src/chart/json.ts';
import { pathOf, statesOf, transitionsOf } from '../../src/chart/transitions.ts';

const json = toStatelyJson(agentLoop);

const imported = (text = json): AnyStateMachine => createMachine(JSON.parse(text));

const shapeOf = (machine: AnyStateMachine): readonly unknown[] =>
  statesOf(machine)
    .filter(({ parent }) => parent !== undefined)
    .map((node) => [pathOf(node), node.type, node.description, node.meta, node.output]);

describe('toStatelyJson', () => {
  it('is imported with the identical list of transitions: guards, targets, updates and order', () => {
    expect(transitionsOf(imported())).toEqual(transitionsOf(agentLoop));
  });

  it('is imported with the same states, types, descriptions, effects and outputs', () => {
    expect(shapeOf(imported())).toEqual(shapeOf(agentLoop));
  });

  it('names each guard and update of the machine that its transitions name, and no other', () => {
    const used = (key: 'guard' | 'actions') =>
      new Set(transitionsOf(imported()).flatMap((transition) => transition[key] ?? []));
    const { guards, actions } = agentLoop.implementations;
    expect(used('guard')).toEqual(new Set([...Object.keys(guards), 'else']));
    expect(used('actions')).toEqual(new Set(Object.keys(actions)));
  });

  it('holds what the transient states decide, which the JSON of the machine itself leaves out', () => {
    const decided = transitionsOf(imported()).filter(({ event }) => event === 'always');
    expect(decided).not.toEqual([]);
    expect(JSON.stringify(agentLoop)).not.toContain('isOverBudget');
  });
});

describe('the list of transitions', () => {
  it.each([
    ['a lost guard', '"guard": "isStuck",', ''],
    ['another guard', '"guard": "isStuck"', '"guard": "isOverBudget"'],
    ['a lost update', '"chargeResponse",', ''],
    ['updates in another order', /"recordResult",\s*"settleCalls"/, '"settleCalls", "recordResult"'],
    ['another target', '"target": "checkingTurns"', '"target": "callingModel"'],
    [
      'branches in another order',
      /(\{\s*"guard": "isOverBudget",[^}]*\}),\s*(\{\s*"guard": "isStuck",[^}]*\})/,
      '$2, $1',
    ],
    ['a transient state that does not decide', '"always"', '"alwaysNot"'],
  ])('differs by %s', (_title, before, after) => {
    const damaged = json.replace(before, after);
    expect(damaged).not.toBe(json);
    expect(transitionsOf(imported(damaged))).not.toEqual(transitionsOf(agentLoop));
  });
});
