import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { toMermaid } from './mermaid.ts';
import { isForbidden, pathOf, statesOf, transitionsOf, type Transition } from './transitions.ts';

/** The page `docs/statechart.md`. `guardDocs` says what a guard asks, by its name (see `docsOf`). */
export const statechartDocument = (
  machine: AnyStateMachine,
  guardDocs: ReadonlyMap<string, string> = new Map(),
): string => {
  const transitions = transitionsOf(machine);
  return [
    '# The statechart',
    'Made from `machines/agent-loop.machine.ts`. Do not edit: `npx vitest run test/chart -u` writes it again.',
    machine.root.description ?? '',
    `\`\`\`mermaid\n${toMermaid(machine)}\`\`\``,
    '## States',
    'A resting state waits for the facts of its effect. A transient state (dashed) decides at once. A final state ends the run.',
    tableOf(['state', 'kind', 'description'], statesOf(machine).filter(isState).map(stateRow)),
    '## Transitions',
    'The first row of a state and fact whose guard holds is taken, `else` where none does. The rows of `running` hold in every state inside it, after its own. A fact without a row is refused; `—` stays in its state.',
    tableOf(['state', 'fact', 'guard', 'next state', 'updates'], transitions.map(transitionRow)),
    '## Guards',
    'A guard of a fact sees the context before the updates, a guard of a transient state sees it after.',
    tableOf(['guard', 'in words', 'asked in'], guardRows(transitions, guardDocs)),
    '',
  ].join('\n\n');
};

/** The docstrings of the exported constants in a source text, by name. */
export const docsOf = (source: string): ReadonlyMap<string, string> =>
  new Map(
    [...source.matchAll(/\/\*\*((?:(?!\*\/).)+)\*\/\nexport const (\w+)/gs)].map(
      ([, text = '', name = '']) => [name, text.replaceAll(/\s*\n \*\s*/g, ' ').trim()],
    ),
  );

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const isState = ({ parent }: AnyStateNode): boolean => parent !== undefined;

const stateRow = (node: AnyStateNode): readonly string[] => [
  code(pathOf(node)),
  kindOf(node),
  node.description ?? outputOf(node),
];

function kindOf(node: AnyStateNode): string {
  if (node.type === 'compound') return 'group';
  if (node.type === 'final') return 'final';
  return node.always === undefined ? 'resting' : 'transient';
}

const outputOf = ({ output }: AnyStateNode): string =>
  output === undefined ? '' : code(JSON.stringify(output));

const transitionRow = (transition: Transition): readonly string[] => [
  code(transition.state),
  transition.event === 'always' ? '' : code(transition.event),
  guardCell(transition),
  targetCell(transition),
  transition.actions.map(code).join(', '),
];

function guardCell({ guard }: Transition): string {
  if (guard === null) return '';
  return guard === 'else' ? guard : code(guard);
}

function targetCell(transition: Transition): string {
  if (isForbidden(transition)) return 'refused';
  return transition.target === null ? '—' : code(transition.target);
}

function guardRows(
  transitions: readonly Transition[],
  guardDocs: ReadonlyMap<string, string>,
): readonly (readonly string[])[] {
  const askedIn = new Map<string, Set<string>>();
  for (const { guard, state } of transitions) {
    if (guard === null || guard === 'else') continue;
    askedIn.set(guard, (askedIn.get(guard) ?? new Set()).add(code(state)));
  }
  return [...askedIn].map(([guard, states]) => [
    code(guard),
    guardDocs.get(guard) ?? '',
    [...states].join(', '),
  ]);
}

const code = (text: string): string => `\`${text}\``;
