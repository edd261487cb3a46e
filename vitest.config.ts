import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['machines/**/*.ts', 'src/**/*.ts'],
      exclude: ['test/**'],
      reporter: ['text-summary', 'json-summary'],
    },
  },
});
