/** A world for the loop: doubles of the ports, and a header to start with. */
import type { Limits } from '../../machines/index.ts';
import { boundsFor, promptBound } from '../../src/budget/bounds.ts';
import { Inbox } from '../../src/inbox.ts';
import { memoryJournal } from '../../src/journal/memory.ts';
import { runLoop } from '../../src/run.ts';
import type {
  Approver,
  AssistantMessage,
  Clock,
  ContentBlock,
  Fact,
  JournalHeader,
  JournalLine,
  LoopTexts,
  Model,
  ModelReply,
  ModelRequest,
  Ports,
  RunResult,
  Toolbox,
  ToolOutcome,
  Usage,
} from '../../src/ports.ts';
import { fakeClock } from './clocks.ts';

export const text = (words: string): ContentBlock => ({ type: 'text', text: words });

export const toolUse = (id: string, name = 'read', input: unknown = {}): ContentBlock => ({
  type: 'tool_use',
  id,
  name,
  input,
});

const USAGE: Usage = { input_tokens: 100, output_tokens: 10 };

let messages = 0;

function message(content: readonly ContentBlock[], stopReason?: string | null): AssistantMessage {
  const derived = content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  messages += 1;
  return {
    id: `msg_${messages}`,
    model: 'test-model',
    content,
    stopReason: stopReason === undefined ? derived : stopReason,
    stopSequence: null,
    stopDetails: null,
  };
}

export const replies = (
  content: readonly ContentBlock[],
  stopReason?: string | null,
  usage: Usage | null = USAGE,
): ModelReply => ({
  kind: 'message',
  message: message(content, stopReason),
  usage,
  requestId: 'req_1',
  malformedInputs: {},
});

export const failure = (
  changes: Partial<Extract<ModelReply, { kind: 'failed' }>> & { readonly retryAfterMs?: number } = {},
): ModelReply => {
  const { retryAfterMs = null, ...rest } = changes;
  return {
    kind: 'failed',
    failure: { status: 529, errorType: 'overloaded_error', message: 'Overloaded', retryAfterMs },
    isRetryable: true,
    reason: 'model_failed',
    usage: null,
    billing: 'none',
    requestId: null,
    ...rest,
  };
};

export type Turn =
  | ModelReply
  | ((request: ModelRequest, signal: AbortSignal) => ModelReply | Promise<ModelReply>);

/** Answers the n-th request with the n-th turn, and keeps the requests. */
function listModel(turns: readonly Turn[]): Model & { readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id: 'test-model',
    limits: { maxTokens: 64_000, contextWindow: 200_000 },
    price: null,
    requests,
    send: async (request, { signal }) => {
      const turn = turns[requests.length];
      requests.push(structuredClone(request));
      if (turn === undefined) throw new Error(`No turn for request ${requests.length}`);
      return typeof turn === 'function' ? turn(request, signal) : turn;
    },
  };
}

interface BoxOptions {
  /** Tools with effects; the others only read. */
  readonly effects?: readonly string[];
  readonly asks?: readonly string[];
  readonly denies?: readonly string[];
  readonly run?: Toolbox['run'];
  readonly judge?: Toolbox['judge'];
  readonly preview?: Toolbox['preview'];
}

const succeed = (content: string): ToolOutcome => ({ kind: 'succeeded', content });

/** Knows `read` and `write`; any other tool is unknown. */
function testBox({
  effects = ['write'],
  asks = [],
  denies = [],
  run,
  judge,
  preview,
}: BoxOptions = {}): Toolbox & {
  readonly ran: readonly string[];
} {
  const ran: string[] = [];
  const definition = (name: string) => ({
    name,
    description: name,
    input_schema: { type: 'object' as const },
  });
  return {
    ran,
    definitions: [definition('read'), definition('write')],
    judge: (name, input) => {
      if (judge) return judge(name, input);
      const kind = effects.includes(name) ? 'some' : 'none';
      if (name !== 'read' && name !== 'write') {
        return { verdict: 'invalid', effects: 'none', refusal: `No tool ${name}.` };
      }
      if (denies.includes(name)) return { verdict: 'deny', effects: kind, refusal: 'A rule denies it.' };
      return { verdict: asks.includes(name) ? 'ask' : 'allow', effects: kind, refusal: null };
    },
    ...(preview && { preview }),
    run: async (call, signal) => {
      ran.push(call.id);
      return (await run?.(call, signal)) ?? succeed(`result of ${call.id}`);
    },
  };
}

const TEXTS: LoopTexts = {
  name: 'test',
  summary: (cause) => `Sum up (${cause}).`,
  notRun: (cause) => `Not run (${cause}).`,
  denied: (tool, by, reason) => `${tool} was denied by ${by}: ${reason ?? 'no reason'}.`,
  interrupted: (tool) => `${tool} was interrupted.`,
  edited: (input) => `The user changed the input: ${input}`,
  goOn: 'Go on.',
  broke: (tool, why) => `${tool} broke: ${why}.`,
};

const approves: Approver = { decide: async () => ({ decision: 'approve', by: 'person' }) };

export interface World {
  readonly turns: readonly Turn[];
  readonly box?: BoxOptions;
  /** In place of the list's. */
  readonly model?: Pick<Model, 'send'>;
  readonly approver?: Approver;
  readonly limits?: Partial<Limits>;
  readonly header?: Partial<JournalHeader>;
  readonly clock?: Clock;
  readonly inbox?: Inbox;
  /** Told of each line before it counts as written. */
  readonly onLine?: (line: JournalLine) => void | Promise<void>;
}

export interface Played {
  readonly result: RunResult;
  readonly lines: readonly JournalLine[];
  readonly facts: readonly Fact[];
  /** Names of the facts, in order. */
  readonly story: readonly string[];
  readonly requests: readonly ModelRequest[];
  readonly ran: readonly string[];
}

const LIMITS: Limits = {
  maxTurns: 10,
  budget: { nanoUsd: null, tokens: null },
  maxRetries: 4,
  maxGrowths: 2,
  maxContinuations: 5,
  stuckAfter: 3,
};

function headerWith(changes: Partial<JournalHeader> = {}): JournalHeader {
  const header: JournalHeader = {
    type: 'run.started',
    format: 1,
    runId: 'test',
    at: '2026-12-01T00:00:00.000Z',
    task: 'Do it.',
    system: 'You are tested.',
    model: 'test-model',
    effort: null,
    maxTokens: 16_000,
    tools: testBox().definitions,
    workdir: null,
    limits: LIMITS,
    onLimit: 'summarise',
    timeoutMs: null,
    rules: [],
    texts: 'test',
    price: null,
    nextCost: { nanoUsd: 0, tokens: 0 },
    summaryCost: { nanoUsd: 0, tokens: 0 },
    ...changes,
  };
  return { ...header, ...boundsFor(promptBound(header, []), header.price), ...changes };
}

/** Runs a world to its end. */
export const play = (world: World): Promise<Played> =>
  playBy(world, (ports) => {
    const header = headerWith({ ...world.header, limits: { ...LIMITS, ...world.limits } });
    return runLoop(header, ports, world.inbox ?? new Inbox());
  });

/** @param run lets the loop go through the world */
export async function playBy(world: World, run: (ports: Ports) => Promise<RunResult>): Promise<Played> {
  const model = listModel(world.turns);
  const toolbox = testBox(world.box);
  const journal = memoryJournal();
  const result = await run({
    model: { ...model, ...world.model },
    toolbox,
    approver: world.approver ?? approves,
    journal: {
      append: async (line) => {
        await world.onLine?.(line);
        await journal.append(line);
      },
    },
    clock: world.clock ?? fakeClock(),
    onDelta: () => undefined,
    texts: TEXTS,
  });
  const facts = factsOf(journal.lines);
  return {
    result,
    lines: journal.lines,
    facts,
    story: facts.map(({ type }) => type),
    requests: model.requests,
    ran: toolbox.ran,
  };
}

const factsOf = (lines: readonly JournalLine[]): readonly Fact[] =>
  lines.flatMap((line) => (line.type === 'run.started' || line.type === 'run.ended' ? [] : [line]));
