import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { childrenOf, isForbidden, pathOf, statesOf, transitionsOf, type Transition } from './transitions.ts';

/**
 * The machine as a Mermaid `stateDiagram-v2`, guards in brackets. Transient states, which decide at once, have a dashed
 * border. A transition that stays in its state stands inside its box; what holds in a whole group stands in a note, because arrows from a group's border bury the picture.
 * Actions are left out, and so are forbidden transitions. State names must be unique in the machine.
 */
export function toMermaid(machine: AnyStateMachine): string {
  const transitions = transitionsOf(machine).filter((transition) => !isForbidden(transition));
  const groups = statesOf(machine).filter(isGroup);
  const groupPaths = new Set(groups.map(pathOf));
  const ofStates = transitions.filter(({ state }) => !groupPaths.has(state));
  return [
    'stateDiagram-v2',
    '  direction LR',
    ...insideOf(machine.root),
    ...ofStates.filter(staysInState).map((stay) => `  ${keyOf(stay.state)} : ${labelOf(stay)}`),
    ...arrowsOf(ofStates.filter((transition) => !staysInState(transition))),
    ...statesOf(machine)
      .filter(({ type }) => type === 'final')
      .map(({ key }) => `  ${key} --> [*]`),
    ...groups.flatMap((group) => noteOf(group, transitions)),
    ...dashed(statesOf(machine).filter(isTransient)),
    '',
  ].join('\n');
}

const isGroup = ({ type }: AnyStateNode): boolean => type === 'compound';

const isTransient = ({ always }: AnyStateNode): boolean => always !== undefined && always.length > 0;

const staysInState = ({ target }: Transition): boolean => target === null;

const insideOf = (node: AnyStateNode): readonly string[] => [
  ...node.initial.target.map((target: AnyStateNode) => `  [*] --> ${target.key}`),
  ...childrenOf(node).flatMap(boxOf),
];

const boxOf = (node: AnyStateNode): readonly string[] =>
  isGroup(node)
    ? [`  state ${node.key} {`, ...insideOf(node).map((line) => `  ${line}`), '  }']
    : [`  state "${node.key}" as ${node.key}`];

/** One arrow for each pair of states, with a line for each transition: parallel arrows overlap. */
function arrowsOf(transitions: readonly Transition[]): readonly string[] {
  const labels = new Map<string, string>();
  for (const transition of transitions) {
    const arrow = `${keyOf(transition.state)} --> ${keyOf(transition.target ?? '')}`;
    const before = labels.get(arrow);
    labels.set(arrow, before === undefined ? labelOf(transition) : `${before}<br/>${labelOf(transition)}`);
  }
  return [...labels].map(([arrow, label]) => (label === '' ? `  ${arrow}` : `  ${arrow} : ${label}`));
}

function noteOf(group: AnyStateNode, transitions: readonly Transition[]): readonly string[] {
  const own = transitions.filter(({ state }) => state === pathOf(group));
  if (own.length === 0) return [];
  const lines = own.map((transition) =>
    transition.target === null ? labelOf(transition) : `${labelOf(transition)} → ${keyOf(transition.target)}`,
  );
  return [`  note left of ${group.key}`, ...lines.map((line) => `    ${line}`), '  end note'];
}

// A dashed border is seen in light and dark themes alike.
const dashed = (states: readonly AnyStateNode[]): readonly string[] =>
  states.length === 0
    ? []
    : [
        '  classDef transient stroke-dasharray:4 3',
        `  class ${states.map(({ key }) => key).join(',')} transient`,
      ];

const labelOf = ({ event, guard }: Transition): string =>
  [...(event === 'always' ? [] : [event]), ...(guard === null ? [] : [`[${guard}]`])].join(' ');

const keyOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
