import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What each part may import of the others; `*` is everything. A part that is not here does not pass. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  machines: [],
  'src/facts.ts': ['machines', 'src/sandbox'],
  'src/sandbox': ['src/errors.ts'],
  'src/journal-lines.ts': ['machines', 'src/facts.ts', 'src/sandbox'],
  'src/ports.ts': ['machines', 'src/facts.ts', 'src/journal-lines.ts', 'src/sandbox'],
  'src/errors.ts': [],
  'src/defaults.ts': [],
  'src/run-id.ts': [],
  'src/clock.ts': ['src/ports.ts'],
  'src/events.ts': ['src/ports.ts'],
  'src/inbox.ts': ['machines'],
  'src/deadline.ts': ['src/ports.ts', 'src/inbox.ts'],
  'src/masked-ports.ts': ['src/errors.ts', 'src/ports.ts', 'src/text'],
  'src/workdir.ts': ['src/errors.ts', 'src/text'],
  'src/facts': [],
  'src/text': [],
  'src/budget': ['machines', 'src/ports.ts', 'src/errors.ts'],
  'src/history': ['src/ports.ts'],
  'src/effects': [
    'machines',
    'src/ports.ts',
    'src/errors.ts',
    'src/budget',
    'src/facts',
    'src/history',
    'src/text',
  ],
  'src/journal': ['machines', 'src/ports.ts', 'src/errors.ts', 'src/budget', 'src/history'],
  'src/stored-run.ts': ['src/errors.ts', 'src/ports.ts', 'src/run-state.ts', 'src/verify'],
  'src/fork.ts': ['src/budget', 'src/errors.ts', 'src/ports.ts', 'src/stored-run.ts'],
  'src/agent-run.ts': ['src/ports.ts', 'src/events.ts', 'src/inbox.ts', 'src/inspect', 'src/journal'],
  'src/agent-resume.ts': ['*'],
  'src/model': ['src/ports.ts', 'src/errors.ts', 'src/text'],
  'src/rules': ['src/ports.ts', 'src/errors.ts', 'src/text'],
  'src/tools': ['src/ports.ts', 'src/errors.ts', 'src/rules', 'src/sandbox', 'src/text'],
  'src/approval': ['src/ports.ts', 'src/errors.ts', 'src/text'],
  'src/chart': ['machines'],
  'src/run-state.ts': ['machines', 'src/ports.ts', 'src/budget'],
  'src/run.ts': [
    'machines',
    'src/ports.ts',
    'src/deadline.ts',
    'src/effects',
    'src/inbox.ts',
    'src/journal',
    'src/run-state.ts',
  ],
  'src/resume.ts': [
    'machines',
    'src/budget',
    'src/effects',
    'src/errors.ts',
    'src/facts',
    'src/history',
    'src/ports.ts',
    'src/run-state.ts',
  ],
  'src/verify': ['machines', 'src/facts'],
  'src/testing': ['src/ports.ts', 'src/journal', 'src/model', 'src/paths', 'src/replay.ts', 'src/verify'],
  'src/paths': ['*'],
  'src/inspect': ['machines', 'src/ports.ts'],
  'src/agent-options.ts': [
    'machines',
    'src/approval',
    'src/defaults.ts',
    'src/errors.ts',
    'src/inspect',
    'src/ports.ts',
    'src/rules',
    'src/text',
    'src/tools',
  ],
  'src/agent.ts': ['*'],
  'src/replay.ts': ['*'],
  'src/index.ts': ['*'],
  'src/cli': ['*'],
};

/** Packages that only these parts may use. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@anthropic-ai/sdk': ['src/model'],
  commander: ['src/cli'],
  xstate: [
    'machines',
    'src/run-state.ts',
    'src/replay.ts',
    'src/chart',
    'src/inspect',
    'src/paths',
    'src/verify',
  ],
  'xstate/graph': ['src/paths'],
};

/** Parts that compute and do nothing else. */
const PURE = [
  'machines',
  'src/budget',
  'src/history',
  'src/effects',
  'src/facts.ts',
  'src/rules',
  'src/run.ts',
  'src/chart',
];

const partOf = (file: string): string => {
  const [first = '', second = ''] = file.split(sep);
  return first === 'machines' ? first : `${first}/${second}`;
};

const files = ['machines', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);

const importsOf = (file: string): readonly string[] =>
  Array.from(readFileSync(join(root, file), 'utf8').matchAll(/from '([^']+)'/g), ([, from = '']) => from);

describe('imports', () => {
  it.each(files)('of %s follow the arrows', (file) => {
    const part = partOf(file);
    const allowed = MAY_IMPORT[part];
    expect(allowed, `${part} is not in the table`).toBeDefined();
    for (const from of importsOf(file)) {
      if (!from.startsWith('.')) {
        const users = Object.entries(PACKAGES).find(([name]) => from === name || from.startsWith(`${name}/`));
        if (users) expect(users[1], `${file} imports ${from}`).toContain(part);
        continue;
      }
      const target = partOf(relative(root, join(root, file, '..', from)));
      const isAllowed =
        target === part || allowed?.includes(target) || (allowed?.includes('*') && target !== 'src/cli');
      expect(isAllowed, `${file} imports ${target}`).toBe(true);
    }
  });

  it('of the strict server and of the rules share nothing with what they judge', () => {
    const judges = files.filter(
      (file) => ['src/testing', 'src/verify'].includes(partOf(file)) && !/^src.testing.index/.test(file),
    );
    for (const file of judges) {
      const outside = importsOf(file)
        .filter((from) => from.startsWith('.'))
        .map((from) => partOf(relative(root, join(root, file, '..', from))))
        .filter((target) => !['src/testing', 'src/verify', 'src/facts', 'machines'].includes(target));
      expect(outside, file).toEqual([]);
    }
  });
});

describe('pure parts', () => {
  const pure = files.filter((file) => PURE.includes(partOf(file)));

  it.each(pure)('%s has no clock, no random, no process and no node module', (file) => {
    const text = readFileSync(join(root, file), 'utf8');
    expect(text).not.toMatch(
      /Date\.now|new Date|Math\.random|process\.|performance\.|setTimeout|from 'node:/,
    );
  });
});
