/** For mutation tests: what runs in this process, without HTTP, without a build. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/machines/**/*.test.ts',
      'test/run*.test.ts',
      'test/effects/**/*.test.ts',
      'test/history/**/*.test.ts',
      'test/budget/**/*.test.ts',
      'test/verify/**/*.test.ts',
      'test/testing/validate*.test.ts',
      'test/testing/thinking.test.ts',
      'test/properties/loop.test.ts',
    ],
    // Stryker starts a new worker for each change: the files of one run may share their modules.
    isolate: false,
    // A change that makes a test wait for ever is found out soon.
    testTimeout: 5_000,
    // A change that shows only in a rare world is not worth the minutes of all the others.
    env: { PROPERTY_RUNS: '20', PROPERTY_SEED: '1' },
  },
});
