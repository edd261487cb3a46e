/** For mutation tests: what runs in this process, without HTTP, without a build. */
import { defineConfig } from 'vitest/config';

const LOOP = ['test/machines/**/*.test.ts', 'test/run*.test.ts', 'test/properties/loop.test.ts'];

/** Tests of each part. Not as Stryker's `testFiles`: with those a module of the chart is not loaded again. */
const tests: Readonly<Record<string, readonly string[]>> = {
  machines: LOOP,
  core: [
    ...LOOP,
    'test/effects/**/*.test.ts',
    'test/history/**/*.test.ts',
    'test/budget/**/*.test.ts',
    'test/resume/{agent,decide,rules,words}.test.ts',
    'test/before-tool.test.ts',
  ],
  // Not its test with hostile values: a quarter of all the time, and no change of those tried is found by it alone.
  verify: [
    'test/verify/!(hostile).test.ts',
    'test/testing/validate*.test.ts',
    'test/testing/thinking.test.ts',
  ],
};
const part = process.env['PART'] ?? 'core';

export default defineConfig({
  test: {
    include: [...(tests[part] ?? [])],
    // The chart is made while its module loads, so each change of it needs modules of its own. Of the other parts such
    // changes are left out, and the files of one run may share their modules.
    isolate: part === 'machines',
    // A change that makes a test wait for ever is found out soon.
    testTimeout: 5_000,
    // A change that shows only in a rare world is not worth the minutes of all the others.
    env: { PROPERTY_RUNS: '5', PROPERTY_SEED: '1' },
  },
});
