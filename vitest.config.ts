import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    // Generous: a shared machine can be three times slower than a quiet one.
    testTimeout: 90_000,
    // The tests mostly wait: for processes, for sockets.
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['machines/**/*.ts', 'src/**/*.ts'],
      exclude: ['test/**'],
      reporter: ['text-summary', 'json-summary'],
      // The command runs in processes of its own, which are not counted; the machine and the loop are, to the last branch.
      thresholds: {
        'machines/**': { branches: 100, functions: 100 },
        'src/{run,inbox,deadline}.ts': { branches: 100, functions: 100 },
      },
    },
  },
});
