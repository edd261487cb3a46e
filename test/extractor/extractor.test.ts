import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { agentLoop } from '../../machines/index.ts';
import { transitionsOf } from '../../src/chart/transitions.ts';

// It wants xstate 4, so it has a package and an install of its own: `npm ci --prefix test/extractor`.
const isThere = existsSync(new URL('node_modules/@xstate/machine-extractor', import.meta.url));
const without = isThere ? '' : ' (skipped since 2026-12-01: it is not installed, see the file)';

interface Named {
  readonly kind: string;
  readonly type?: string;
  readonly action?: { readonly type: string };
}

interface Branch {
  readonly target?: string;
  readonly cond?: Named;
  readonly actions?: Named | readonly Named[];
}

interface StateConfig {
  readonly on?: Readonly<Record<string, Branch | readonly Branch[]>>;
  readonly always?: Branch | readonly Branch[];
  readonly states?: Readonly<Record<string, StateConfig>>;
}

interface Extractor {
  readonly extractMachinesFromFile: (text: string) => {
    readonly machines: readonly { toConfig(): StateConfig }[];
  };
}

const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly T[]) : [value as T];

function rowsOf(config: StateConfig, path: readonly string[] = []): readonly unknown[] {
  const groups = [
    ...Object.entries(config.on ?? {}),
    ...(config.always ? [['always', config.always] as const] : []),
  ];
  return [
    ...groups.flatMap(([event, branches]) =>
      listOf<Branch>(branches).map(({ target, cond, actions }, branch) => ({
        state: path.join('.'),
        event,
        branch,
        guard: cond?.type ?? null,
        target: target?.split('.').at(-1) ?? null,
        actions: listOf<Named>(actions).map(({ action }) => action?.type),
      })),
    ),
    ...Object.entries(config.states ?? {}).flatMap(([name, state]) => rowsOf(state, [...path, name])),
  ];
}

describe.skipIf(!isThere)(`the published extractor of Stately${without}`, () => {
  it('finds every transition of the machine’s file, with its guard, target and actions', () => {
    const require = createRequire(fileURLToPath(new URL('package.json', import.meta.url)));
    const { extractMachinesFromFile } = require('@xstate/machine-extractor') as Extractor;
    const file = new URL('../../machines/agent-loop.machine.ts', import.meta.url);
    const [machine] = extractMachinesFromFile(readFileSync(file, 'utf8')).machines;
    const expected = transitionsOf(agentLoop).map(({ guard, target, ...row }) => ({
      ...row,
      guard: guard === 'else' ? null : guard,
      target: target?.split('.').at(-1) ?? null,
    }));
    expect(machine && rowsOf(machine.toConfig())).toEqual(expected);
  });
});
