/** Machines that differ from ours in one place of the chart: what a wrong chart would look like. */
import { createMachine, type AnyStateMachine } from 'xstate';
import { agentLoop } from '../../machines/index.ts';

export interface Mutant {
  /** What was changed, and where. */
  readonly name: string;
  /** The state, and the fact or `always`. */
  readonly place: string;
  readonly machine: AnyStateMachine;
}

interface Branch {
  guard?: string;
  target?: string;
  actions?: string[];
}

interface StateConfig {
  readonly on?: Record<string, Branch | Branch[]>;
  readonly always?: Branch[];
  readonly states?: Record<string, StateConfig>;
}

/** Every single change of the chart: guards, actions, order of branches, targets. */
export function* mutants(): Generator<Mutant> {
  for (const place of placesOf(copy())) {
    for (const [name, change] of changesOf(place)) {
      const config = copy();
      const same = placesOf(config).find(({ path }) => path === place.path);
      if (same === undefined) throw new Error(`The copy has no ${place.path}.`);
      change(same);
      yield { name: `${place.path}: ${name}`, place: place.path, machine: built(config) };
    }
  }
}

/** The branches of one state for one fact, or of a transient state. */
interface Place {
  readonly path: string;
  readonly branches: Branch[];
  /** Writes the branches back: they may have been a single one. */
  readonly drop: () => void;
}

function placesOf(config: StateConfig, path = 'agentLoop'): readonly Place[] {
  const { on = {}, always, states = {} } = config;
  const facts = Object.entries(on).map(([event, branches]): Place => {
    const list = Array.isArray(branches) ? branches : [branches];
    on[event] = list;
    return { path: `${path} on ${event}`, branches: list, drop: () => delete on[event] };
  });
  return [
    ...facts,
    ...(always ? [{ path: `${path} always`, branches: always, drop: () => always.splice(0) }] : []),
    ...Object.entries(states).flatMap(([name, state]) => placesOf(state, `${path}.${name}`)),
  ];
}

type Change = (place: Place) => void;

const changesOf = ({ path, branches }: Place): readonly (readonly [string, Change])[] => [
  ...branches.flatMap((branch, index) => branchChanges(branch, index, path)),
  ...branches
    .slice(1)
    .map((_, index): readonly [string, Change] => [
      `branches ${index} and ${index + 1} change places`,
      ({ branches: list }) => list.splice(index, 2, ...list.slice(index, index + 2).toReversed()),
    ]),
  ['it is left out', ({ drop }) => drop()],
];

function branchChanges(branch: Branch, index: number, path: string): readonly (readonly [string, Change])[] {
  const at = (change: (branch: Branch) => void): Change => {
    return ({ branches }) => {
      const same = branches[index];
      if (same === undefined) throw new Error(`${path} has no branch ${index}.`);
      change(same);
    };
  };
  const { guard, actions = [] } = branch;
  return [
    ...(guard === undefined
      ? []
      : ([
          [`${index}, without ${guard}`, at((same) => delete same.guard)],
          [`${index}, not ${guard}`, at((same) => (same.guard = `not ${guard}`))],
        ] as const)),
    ...actions.map((action): readonly [string, Change] => [
      `${index}, without ${action}`,
      at((same) => (same.actions = actions.filter((other) => other !== action))),
    ]),
    ...TARGETS.filter((target) => target !== absolute(branch.target)).map(
      (target): readonly [string, Change] => [`${index}, to ${target}`, at((same) => (same.target = target))],
    ),
    ...(branch.target === undefined
      ? []
      : ([[`${index}, to nowhere`, at((same) => delete same.target)]] as const)),
  ];
}

const CONFIG = agentLoop.config as unknown as StateConfig;
const INNER = Object.keys(CONFIG.states?.['running']?.states ?? {});

const TARGETS: readonly string[] = [
  ...INNER.map((name) => `#agentLoop.running.${name}`),
  ...Object.keys(CONFIG.states ?? {})
    .filter((name) => name !== 'running')
    .map((name) => `#agentLoop.${name}`),
];

function absolute(target: string | undefined): string | undefined {
  if (target === undefined || target.startsWith('#')) return target;
  const name = target.replace(/^\./, '');
  return INNER.includes(name) ? `#agentLoop.running.${name}` : `#agentLoop.${name}`;
}

const copy = (): StateConfig => clone(CONFIG) as StateConfig;

/** Functions stay what they are. */
const clone = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(clone)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clone(inner)]))
      : value;

type Guard = (args: unknown, params: unknown) => boolean;

function built(config: StateConfig): AnyStateMachine {
  const guards = agentLoop.implementations.guards as unknown as Readonly<Record<string, Guard>>;
  const negated = Object.entries(guards).map(([name, guard]): [string, Guard] => [
    `not ${name}`,
    (args, params) => !guard(args, params),
  ]);
  return createMachine(config as Parameters<typeof createMachine>[0]).provide({
    guards: { ...guards, ...Object.fromEntries(negated) },
    actions: agentLoop.implementations.actions,
  } as Parameters<AnyStateMachine['provide']>[0]);
}
