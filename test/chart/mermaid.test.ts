import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { agentLoop } from '../../machines/index.ts';
import { toMermaid } from '../../src/chart/mermaid.ts';
import { isForbidden, transitionsOf } from '../../src/chart/transitions.ts';

const turnstile = createMachine({
  id: 'turnstile',
  initial: 'working',
  states: {
    working: {
      initial: 'locked',
      on: { 'power.lost': '#turnstile.dark', 'clock.ticked': { actions: 'count' } },
      states: {
        locked: {
          on: {
            'coin.inserted': [
              { guard: 'isEnough', target: 'checking', actions: 'takeCoin' },
              { guard: 'isToken', target: 'checking' },
              { actions: 'returnCoin' },
            ],
          },
        },
        checking: { always: [{ guard: 'isFull', target: 'locked' }, { target: 'unlocked' }] },
        unlocked: { on: { 'person.passed': 'locked', 'power.lost': {} } },
      },
    },
    dark: { type: 'final' },
  },
});

describe('toMermaid', () => {
  it('draws groups, guards, transient states, one arrow for parallel transitions, and no forbidden ones', () => {
    expect(toMermaid(turnstile)).toBe(`stateDiagram-v2
  direction LR
  [*] --> working
  state working {
    [*] --> locked
    state "locked" as locked
    state "checking" as checking
    state "unlocked" as unlocked
  }
  state "dark" as dark
  locked : coin.inserted [else]
  locked --> checking : coin.inserted [isEnough]<br/>coin.inserted [isToken]
  checking --> locked : [isFull]
  checking --> unlocked : [else]
  unlocked --> locked : person.passed
  dark --> [*]
  note left of working
    power.lost → dark
    clock.ticked
  end note
  classDef transient stroke-dasharray:4 3
  class checking transient
`);
  });

  it('draws an unguarded transition of a transient state without a label, and no empty note', () => {
    const machine = createMachine({ initial: 'a', states: { a: { always: 'b' }, b: {} } });
    expect(toMermaid(machine)).toContain('  a --> b\n');
    expect(toMermaid(machine)).not.toContain('note');
  });

  it('marks nothing where no state is transient', () => {
    const machine = createMachine({ initial: 'a', states: { a: { on: { walked: 'b' } }, b: {} } });
    expect(toMermaid(machine)).not.toContain('class');
  });

  it('names every guard of the agent loop as often as it is asked, but in forbidden transitions', () => {
    const labels = [...toMermaid(agentLoop).matchAll(/\[(\w+)\]/g)].map(([, guard]) => guard);
    const guards = transitionsOf(agentLoop).flatMap((transition) =>
      isForbidden(transition) || transition.guard === null ? [] : [transition.guard],
    );
    expect(labels).toHaveLength(guards.length);
    expect(new Set(labels)).toEqual(new Set(guards));
  });

  it('leads every final state of the agent loop to the end', () => {
    expect(toMermaid(agentLoop).match(/ stopped\w+ --> \[\*\]/g)).toHaveLength(10);
  });
});
