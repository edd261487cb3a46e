/** Paths through the machine: walked, held against the contract, and played against the real system. */
export { differencesOf } from './compare.ts';
export type { Configuration } from './configuration.ts';
export { CARRIED } from './carried.ts';
export { CONFIGURATIONS, SMALL } from './configurations.ts';
export { describePath } from './describe.ts';
export { graphOf, type Graph } from './graph.ts';
export { breachesOn, prove, withTurns, type Proof } from './prove.ts';
export { configurationTable, summaryOf, witnessTable } from './report.ts';
export { canBegin } from './prelude.ts';
export { createStage, playOrHang, type Stage, type StageOptions } from './stage.ts';
export type { ScriptedTool, ScriptedTools } from './own-tools.ts';
export { completed, coveringPaths, edgePaths, simplePaths, type Path } from './walk.ts';
export { buildKit } from './build-kit.ts';
export type { KitPath } from './kit.ts';
export { tryLoop, type Hole, type KitWorld } from './try-loop.ts';
