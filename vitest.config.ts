import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes minutes begins first, so that nobody waits for it in the end. */
const LONGEST = [
  'paths/simple.test.ts',
  'paths/resumed.test.ts',
  'paths/edges.test.ts',
  'paths/mutants.test.ts',
  'sandbox/escapes.test.ts',
  'sandbox/escapes-of-nobody.test.ts',
  'e2e/runs.test.ts',
  'resume/kill.test.ts',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(name));
  return place === -1 ? LONGEST.length : place;
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is no array, and gives a new one
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    // Generous: a shared machine can be three times slower than a quiet one.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // The tests mostly wait: for processes, for sockets.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Of the machine and the loop, by the tests next to them: counting slows every test down.
    coverage: {
      provider: 'v8',
      include: ['machines/**/*.ts', 'src/{run,inbox,deadline}.ts'],
      exclude: ['test/**'],
      reporter: ['text', 'json-summary'],
      thresholds: { branches: 100, functions: 100 },
    },
  },
});
