/** The readable document of a run: what was said, done, decided and paid, turn by turn. */
import { costOf } from '../budget/cost.ts';
import { historyOf } from '../history/history.ts';
import type { JournalHeader, JournalLine, Message, RecordedFact, ToolCall, Usage } from '../ports.ts';
import { isFact } from './lines.ts';
import { resultDocument, type ResultDocument } from './result-document.ts';

export interface TranscriptRequest {
  readonly request: 'turn' | 'summary';
  /** Name of the fact: `model.answered`, `model.failed`, …, `run.aborted` */
  readonly outcome: string;
  readonly stop_reason: string | null;
  /** As the API reported it; null when it did not. */
  readonly usage: Usage | null;
  /** USD; null when the price or the usage is not known. */
  readonly cost_usd: number | null;
  readonly duration_ms: number;
  readonly request_id: string | null;
  readonly error: string | null;
}

export interface TranscriptCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly verdict: string;
  /** What the verdict comes from; null: the default of the tool, or not recorded. */
  readonly rule: string | null;
  readonly decision: {
    readonly decision: string;
    readonly by: string;
    readonly reason: string | null;
  } | null;
  readonly edited_input?: unknown;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly duration_ms: number;
  readonly outcome: string;
  /** Name of the file with the whole output, where it was cut and kept. */
  readonly output_file?: string;
}

/** One response and what it took to get it: `requests` holds failed and replaced attempts as well. */
export interface TranscriptTurn {
  readonly turn: number;
  readonly stop_reason: string | null;
  readonly usage: Usage | null;
  readonly cost_usd: number | null;
  readonly duration_ms: number;
  readonly request_id: string | null;
  readonly requests: readonly TranscriptRequest[];
  readonly calls: readonly TranscriptCall[];
}

export interface Transcript {
  readonly format: 1;
  readonly run_id: string;
  readonly task: string;
  readonly model: string;
  readonly effort: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly turns: readonly TranscriptTurn[];
  readonly result: ResultDocument | null;
}

/** @throws {Error} when the first line is no header */
export function transcriptOf(lines: readonly JournalLine[]): Transcript {
  const [header] = lines;
  if (header?.type !== 'run.started') throw new Error('A journal begins with its header.');
  const facts = lines.filter(isFact);
  // A run that was resumed and has not ended again has no result yet.
  const last = lines.at(-1);
  const end = last?.type === 'run.ended' ? last : undefined;
  return {
    format: 1,
    run_id: header.runId,
    task: header.task,
    model: header.model,
    effort: header.effort,
    started_at: header.at,
    ended_at: end?.at ?? null,
    system: header.system,
    messages: historyOf(header, facts).messages,
    turns: turnsOf(header, facts),
    result: end === undefined ? null : resultDocument(end.result, lines),
  };
}

type ModelFact = Extract<RecordedFact, { type: `model.${string}` }>;
type CutShort = Extract<RecordedFact, { readonly abortedRequest: unknown }>;
/** A request, however it ended. */
type Requested = ModelFact | (CutShort & { readonly abortedRequest: 'turn' | 'summary' });

const isRequest = (fact: RecordedFact): fact is Requested =>
  'abortedRequest' in fact ? fact.abortedRequest !== null : fact.type.startsWith('model.');

/** A turn ends with the response that counts; a run that failed or was aborted ends with a turn that has none. */
function turnsOf(header: JournalHeader, facts: readonly RecordedFact[]): readonly TranscriptTurn[] {
  const turns: TranscriptTurn[] = [];
  let requests: TranscriptRequest[] = [];
  for (const fact of facts.filter(isRequest)) {
    requests.push(requestRow(header, fact));
    if (!endsTurn(fact)) continue;
    turns.push(turnRow(turns.length + 1, requests, callsOf(fact, facts)));
    requests = [];
  }
  return requests.length === 0 ? turns : [...turns, turnRow(turns.length + 1, requests, [])];
}

const endsTurn = (fact: Requested): boolean =>
  !('abortedRequest' in fact) &&
  fact.type !== 'model.failed' &&
  fact.type !== 'model.paused' &&
  !(fact.type === 'model.truncated' && fact.canGrow);

function turnRow(
  turn: number,
  requests: readonly TranscriptRequest[],
  calls: readonly TranscriptCall[],
): TranscriptTurn {
  const last = requests.at(-1);
  return {
    turn,
    stop_reason: last?.stop_reason ?? null,
    usage: last?.usage ?? null,
    cost_usd: last?.cost_usd ?? null,
    duration_ms: requests.reduce((sum, request) => sum + request.duration_ms, 0),
    request_id: last?.request_id ?? null,
    requests,
    calls,
  };
}

const requestRow = ({ price }: JournalHeader, fact: Requested): TranscriptRequest => ({
  request: 'abortedRequest' in fact ? fact.abortedRequest : fact.request,
  outcome: fact.type,
  stop_reason: 'message' in fact ? fact.message.stopReason : null,
  usage: fact.usage,
  cost_usd: fact.usage === null || price === null ? null : costOf(fact.usage, price).nanoUsd / 1e9,
  duration_ms: fact.durationMs,
  request_id: 'requestId' in fact ? fact.requestId : null,
  error: errorOf(fact),
});

function errorOf(fact: Requested): string | null {
  if (fact.type === 'model.failed') return fact.failure.message;
  if (fact.type === 'run.aborted') return `Aborted by ${fact.by}.`;
  return fact.type === 'run.resumed' ? 'Its process died before the response was recorded.' : null;
}

const callsOf = (fact: Requested, facts: readonly RecordedFact[]): readonly TranscriptCall[] =>
  'calls' in fact ? fact.calls.map((call) => callRow(call, facts)) : [];

function callRow(call: ToolCall, facts: readonly RecordedFact[]): TranscriptCall {
  const of = <Type extends CallFact['type']>(type: Type) =>
    facts.find(
      (fact): fact is Extract<CallFact, { type: Type }> => fact.type === type && fact.callId === call.id,
    );
  const decided = of('approval.decided');
  const finished = of('tool.finished');
  return {
    id: call.id,
    name: call.name,
    input: call.input,
    verdict: call.verdict,
    rule: call.rule ?? null,
    decision: decided ? { decision: decided.decision, by: decided.by, reason: decided.reason } : null,
    ...(decided?.edited && { edited_input: decided.edited.input }),
    started_at: of('tool.started')?.at ?? null,
    ended_at: finished?.at ?? null,
    duration_ms: finished?.durationMs ?? 0,
    outcome: finished?.outcome.kind ?? 'open',
    ...(finished?.outcome.outputFile !== undefined && { output_file: finished.outcome.outputFile }),
  };
}

type CallFact = Extract<RecordedFact, { type: 'approval.decided' | 'tool.started' | 'tool.finished' }>;
