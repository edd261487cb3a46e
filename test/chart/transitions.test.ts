import { describe, expect, it } from 'vitest';
import { createMachine, setup } from 'xstate';
import { agentLoop } from '../../machines/index.ts';
import {
  isForbidden,
  statesOf,
  pathOf,
  transitionsOf,
  type Transition,
} from '../../src/chart/transitions.ts';

const row = (changes: Partial<Transition>): Transition => ({
  state: 'open',
  event: 'walked',
  branch: 0,
  guard: null,
  target: null,
  actions: [],
  ...changes,
});

describe('transitionsOf', () => {
  it.each([
    ['a transition without a guard', { target: 'shut' }, [row({ target: 'shut' })]],
    [
      'a guarded branch and the last one, which is `else`',
      [{ guard: 'isHeavy', target: 'shut' }, { target: 'open' }],
      [row({ guard: 'isHeavy', target: 'shut' }), row({ branch: 1, guard: 'else', target: 'open' })],
    ],
    [
      'a single guarded branch, which has no `else`',
      { guard: 'isHeavy', target: 'shut' },
      [row({ guard: 'isHeavy', target: 'shut' })],
    ],
    [
      'names with parameters by their names',
      { guard: { type: 'isHeavy', params: { over: 90 } }, actions: [{ type: 'count' }, 'ring'] },
      [row({ guard: 'isHeavy', actions: ['count', 'ring'] })],
    ],
    ['a forbidden transition', {}, [row({})]],
  ])('lists %s', (_title, walked, rows) => {
    const machine = createMachine({ initial: 'open', states: { open: { on: { walked } }, shut: {} } });
    expect(transitionsOf(machine)).toEqual(rows);
  });

  it('lists what a transient state does as `always`, with paths from the root', () => {
    const machine = createMachine({
      initial: 'inner',
      states: { inner: { initial: 'a', states: { a: { always: '#end' } } }, end: { id: 'end' } },
    });
    expect(transitionsOf(machine)).toEqual([row({ state: 'inner.a', event: 'always', target: 'end' })]);
  });

  it('refuses an inline guard, which has no name to show', () => {
    const machine = setup({}).createMachine({ on: { walked: { guard: () => true } } });
    expect(() => transitionsOf(machine)).toThrow('has no name to show');
  });

  it('lists each transition of the agent loop once', () => {
    const keys = transitionsOf(agentLoop).map(({ state, event, branch }) => `${state} ${event} ${branch}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('finds one forbidden transition in the agent loop: closing calls is not interrupted', () => {
    expect(transitionsOf(agentLoop).filter(isForbidden)).toEqual([
      row({ state: 'running.closingCalls', event: 'run.aborted' }),
    ]);
  });
});

describe('statesOf', () => {
  it('lists the root, then every state before the states inside it', () => {
    const machine = createMachine({
      initial: 'a',
      states: { a: { initial: 'b', states: { b: {} } }, c: {} },
    });
    expect(statesOf(machine).map(pathOf)).toEqual(['', 'a', 'a.b', 'c']);
  });
});
