/** Figures of `docs/proof.md` that no test counts. Whoever measures again changes them here. */

/** What `command` took; vitest prints it as “Duration”. */
export const TIERS = {
  seconds: 131,
  cores: 2,
  month: 'December 2026',
  command: 'npx vitest run test/paths/{coverage,edges,resumed,simple}.test.ts',
} as const;

/** How often `npx vitest run test/resume/kill.test.ts` kills the command, where `KILLS` does not say otherwise. */
export const KILLS = 100;
