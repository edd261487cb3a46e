/** Mutation testing of one part of the code: `PART=core npx stryker run`. docs/mutation.md has the figures. */
const parts = {
  machines: { mutate: ['machines/*.ts', '!machines/agent-loop.types.ts'], thresholds: atLeast(95) },
  core: {
    mutate: ['src/run.ts', 'src/effects/*.ts', 'src/history/*.ts', 'src/budget/*.ts'],
    // A module that a worker has loaded is not loaded again, so a change of what runs as it loads is not seen.
    ignoreStatic: true,
    thresholds: atLeast(90),
  },
  verify: { mutate: ['src/verify/**/*.ts'], ignoreStatic: true, thresholds: atLeast(90) },
};
const part = process.env.PART ?? 'core';

export default {
  ...parts[part],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  tsconfigFile: 'no-such.json',
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 6_000,
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  jsonReporter: { fileName: `coverage/mutation-${part}.json` },
  tempDirName: '.stryker-tmp',
  disableTypeChecks: false,
  ignorePatterns: ['bench', 'coverage', 'dist', 'examples', 'workspace'],
  warnings: { slow: false },
};

/** Below this score the run fails. */
function atLeast(score) {
  return { high: 95, low: 90, break: score };
}
