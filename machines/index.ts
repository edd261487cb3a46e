/** The machine, for tools that draw it, walk it or run it on an engine of their own. */
export { agentLoop } from './agent-loop.machine.ts';
export { inputAfter, resumed } from './agent-loop.resume.ts';
export * as guards from './agent-loop.guards.ts';
export * as updates from './agent-loop.updates.ts';
export type { Carried, Effect, LoopContext, LoopInput, LoopOutput } from './agent-loop.context.ts';
export type {
  Amount,
  PromptCost,
  ApprovalDecided,
  Budget,
  CallHead,
  Cause,
  JudgedAnew,
  LimitKept,
  LimitRaised,
  Limits,
  LoopEvent,
  ModelAnswered,
  ModelCalledTools,
  ModelFact,
  ModelFailed,
  ModelOverflowed,
  ModelPaused,
  ModelRefused,
  ModelTruncated,
  OnLimit,
  OpenCall,
  OutcomeKind,
  RetryDue,
  RunAborted,
  RunResumed,
  StopReason,
  SummaryResult,
  ToolFinished,
  ToolStarted,
  UserInterjected,
  Verdict,
} from './agent-loop.types.ts';
