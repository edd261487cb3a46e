/** The transitions of a machine as plain rows: what the diagram, the tables and the coverage are made of. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

export interface Transition {
  /** Path of the state, such as `running.callingModel`. Empty for the root. */
  readonly state: string;
  /** Type of the fact, or `always` for a transient state. */
  readonly event: string;
  /** Place among the transitions of this state and event, from 0. The first whose guard holds is taken. */
  readonly branch: number;
  /** Name of the guard; `else` for the unguarded last of several branches; null when there is nothing to ask. */
  readonly guard: string | null;
  /** Path of the next state. Null: the state stays as it is. */
  readonly target: string | null;
  readonly actions: readonly string[];
}

/**
 * Every transition of `machine`, in document order, the forbidden ones (`'some.fact': {}`) included.
 * @throws {Error} for an inline guard or action: it has no name to show
 */
export const transitionsOf = (machine: AnyStateMachine): readonly Transition[] =>
  statesOf(machine).flatMap(definitionsOf).map(transitionOf);

/** Every state, in document order, the root first. */
export function statesOf(machine: AnyStateMachine): readonly AnyStateNode[] {
  const withChildren = (node: AnyStateNode): readonly AnyStateNode[] => [
    node,
    ...childrenOf(node).flatMap(withChildren),
  ];
  return withChildren(machine.root);
}

// `states` of xstate's `AnyStateNode` is a record of `any`.
export const childrenOf = ({ states }: AnyStateNode): readonly AnyStateNode[] =>
  Object.values<AnyStateNode>(states);

export const pathOf = ({ path }: AnyStateNode): string => path.join('.');

/** The row of one of xstate's own definitions, for instance of one that an inspector was told of. */
export function transitionOf(definition: AnyTransitionDefinition): Transition {
  // `source` of xstate's `AnyTransitionDefinition` is a node of `any`.
  const source: AnyStateNode = definition.source;
  const branches = definitionsOf(source).filter(({ eventType }) => eventType === definition.eventType);
  return {
    state: pathOf(source),
    event: definition.eventType === '' ? 'always' : definition.eventType,
    branch: branches.indexOf(definition),
    guard: definition.guard ? nameOf(definition.guard) : branches.length > 1 ? 'else' : null,
    target: definition.target?.map(pathOf).join(' ') ?? null,
    actions: definition.actions.map(nameOf),
  };
}

/** The fact is refused here, although an outer state would take it. */
export const isForbidden = ({ target, actions }: Transition): boolean =>
  target === null && actions.length === 0;

const definitionsOf = ({ transitions, always }: AnyStateNode): readonly AnyTransitionDefinition[] => [
  ...[...transitions.values()].flat(),
  ...(always ?? []),
];

/** xstate lets guards and actions be a name, a name with parameters, or a function. */
function nameOf(reference: unknown): string {
  if (typeof reference === 'string') return reference;
  const isNamed = typeof reference === 'object' && reference !== null && 'type' in reference;
  if (isNamed && typeof reference.type === 'string') return reference.type;
  throw new Error('An inline guard or action has no name to show: name it in `setup`.');
}
