/** An agent loop over the Anthropic Messages API, written as a statechart. */
export { createAgent, type Agent } from './agent.ts';
export type { AgentOptions, LimitOptions } from './agent-options.ts';
export type { ResumeOptions } from './agent-resume.ts';
export type { AgentRun } from './agent-run.ts';
export type { BeforeTool, JudgedCall } from './approval/before-tool.ts';
export { approveAll, denyAll, failOnAsk, pauseOnAsk } from './approval/unattended.ts';
export type { ApproveFunction, HostDecision } from './approval/unattended.ts';
export { costOf, formatUsd } from './budget/cost.ts';
export { parsePrice, priceOf } from './budget/prices.ts';
export { UserError } from './errors.ts';
export type { RunEvent } from './events.ts';
export {
  fileJournal,
  openJournal,
  type Durability,
  type FileJournal,
  type FileJournalOptions,
  type StoredJournal,
} from './journal/file.ts';
export { memoryJournal } from './journal/memory.ts';
export { forkedLines, type ForkChanges } from './fork.ts';
export { readJournal } from './journal/read.ts';
export { transcriptOf } from './journal/transcript.ts';
export type { Transcript, TranscriptCall, TranscriptRequest, TranscriptTurn } from './journal/transcript.ts';
export { anthropic, type AnthropicOptions } from './model/anthropic.ts';
export type {
  Approver,
  AssistantMessage,
  Billing,
  Clock,
  ContentBlock,
  Decision,
  DecidingRule,
  Delta,
  Fact,
  FactOf,
  Journal,
  JournalHeader,
  JournalLine,
  Judgement,
  LoopTexts,
  Matcher,
  Message,
  Model,
  ModelFailure,
  ModelReply,
  ModelRequest,
  Outcome,
  Ports,
  Preview,
  Price,
  RecordedFact,
  Rule,
  RunResult,
  SegmentEnd,
  ToolCall,
  ToolDefinition,
  ToolOutcome,
  Toolbox,
  TotalUsage,
  Usage,
  Waiting,
} from './ports.ts';
export { replayOf } from './replay.ts';
export { createRedactor, secretsOf, type PieceMask, type Redactor } from './text/redact.ts';
export { defineTool, ToolError, type Tool, type ToolContext, type ToolSpec } from './tools/define-tool.ts';
export { editFile } from './tools/edit-file.ts';
export { listFiles } from './tools/list-files.ts';
export { readFile } from './tools/read-file.ts';
export { runPython } from './tools/run-python.ts';
export { searchFiles } from './tools/search-files.ts';
export { bare, instructive, type ToolTexts } from './tools/texts.ts';
export { writeFile } from './tools/write-file.ts';
