/** Tiers 4 and 5 of the paths: minutes, on demand. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/paths/*.deep.ts'], testTimeout: 1_800_000 },
});
