import { describe, expect, it } from 'vitest';
import { createMachine, type AnyStateMachine } from 'xstate';
import { agentLoop } from '../../machines/index.ts';
import { toStatelyJson } from '../../src/chart/json.ts';
import { pathOf, statesOf, transitionsOf } from '../../src/chart/transitions.ts';

const imported = createMachine(JSON.parse(toStatelyJson(agentLoop)));

const shapeOf = (machine: AnyStateMachine): readonly unknown[] =>
  statesOf(machine)
    .filter(({ parent }) => parent !== undefined)
    .map((node) => [pathOf(node), node.type, node.description, node.meta, node.output]);

describe('toStatelyJson', () => {
  it('is imported with the identical list of transitions', () => {
    expect(transitionsOf(imported)).toEqual(transitionsOf(agentLoop));
  });

  it('is imported with the same states, types, descriptions, effects and outputs', () => {
    expect(shapeOf(imported)).toEqual(shapeOf(agentLoop));
  });
});
