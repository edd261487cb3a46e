/** Doubles for tests of agents: a strict server of the Messages API, models that follow a list, a journal in memory. */
export { memoryJournal } from '../journal/memory.ts';
export { scripted } from '../model/scripted.ts';
export { replayOf } from '../replay.ts';
export { fails, rawToolUse, says, text, thinking, toolUse, type MessageReply, type Reply } from './reply.ts';
export {
  startStrictServer,
  type LoggedRequest,
  type ReceivedRequest,
  type StrictServer,
  type StrictServerOptions,
} from './server.ts';
export { validateRequest, type Refusal, type ValidateOptions } from '../verify/api/index.ts';
export {
  verifyHistory,
  verifyJournal,
  verifyTranscript,
  type HistoryOptions,
  type Violation,
} from '../verify/index.ts';
export {
  breachesOn,
  buildKit,
  canBegin,
  CARRIED,
  completed,
  CONFIGURATIONS,
  coveringPaths,
  createStage,
  describePath,
  differencesOf,
  edgePaths,
  graphOf,
  prove,
  simplePaths,
  SMALL,
  tryLoop,
  type Configuration,
  type Graph,
  type Hole,
  type KitPath,
  type KitWorld,
  type Path,
  type Proof,
  type ScriptedTool,
  type ScriptedTools,
  type Stage,
  type StageOptions,
} from '../paths/index.ts';
