/**
 * The conformance kit: a path as data, for loops in any language. docs/conformance.md describes the fields.
 *
 * What the model answers, what people and tools do, and what a loop has to send, run and say.
 */
import type { JournalHeader, RecordedFact } from '../ports.ts';
import type { Reply } from '../testing/reply.ts';
import type { Configuration } from './configuration.ts';
import { describePath } from './describe.ts';
import { normalFact } from './normal-form.ts';
import type { Played } from './play.ts';
import type { Path } from './walk.ts';

/** A request as far as every loop has to agree. */
export interface KitRequest {
  /** The model may call tools. Otherwise they are defined and switched off, or not defined. */
  readonly mayCallTools: boolean;
  readonly messages: readonly {
    readonly role: string;
    /** `text`, `thinking`, `tool_use ID`, `tool_result ID`, `tool_result ID error`, … */
    readonly blocks: readonly string[];
  }[];
}

export interface KitPath {
  readonly format: 1;
  readonly name: string;
  /** What happens, in words. */
  readonly story: string;
  /** What a loop must be able to do to be tried with this path. */
  readonly needs: readonly ('approval' | 'abort' | 'interjection' | 'budget' | 'raise' | 'retry' | 'rules')[];
  readonly task: string;
  readonly limits: Pick<
    JournalHeader['limits'],
    'maxTurns' | 'maxRetries' | 'maxGrowths' | 'maxContinuations' | 'stuckAfter'
  > & {
    readonly tokenBudget: number | null;
  };
  readonly onLimit: JournalHeader['onLimit'];
  /** Definitions of the tools, as a request has them. */
  readonly tools: JournalHeader['tools'];
  /** What the server answers to each request. */
  readonly responses: readonly Reply[];
  /** Facts of people, tools and the outside, between the responses. */
  readonly facts: readonly Readonly<Record<string, unknown>>[];
  readonly expected: {
    readonly requests: readonly KitRequest[];
    /** Ids of the calls that run, in order. */
    readonly ran: readonly string[];
    readonly reason: string;
    /** The answer is not empty. */
    readonly hasAnswer: boolean;
    readonly turns: number;
  };
}

/** @throws {Error} for a run that has not stopped */
export function kitPathOf(name: string, path: Path, configuration: Configuration, played: Played): KitPath {
  const { result, lines, requests, replies } = played;
  const [header] = lines;
  if (result.state !== 'stopped' || header?.type !== 'run.started')
    throw new Error(`${name} has not stopped.`);
  const { budget, ...counts } = header.limits;
  const facts = lines.filter(
    (line): line is RecordedFact =>
      line.type !== 'run.started' && line.type !== 'run.ended' && line.type !== 'run.resumed',
  );
  return {
    format: 1,
    name,
    story: describePath(path),
    needs: needsOf(facts, configuration),
    task: header.task,
    limits: { ...counts, tokenBudget: budget.tokens },
    onLimit: header.onLimit,
    responses: replies,
    tools: header.tools,
    facts: facts.map(kitFactOf),
    expected: {
      // An aborted request may or may not have been on its way.
      requests: requests.slice(0, replies.length).map(({ body }) => kitRequestOf(body)),
      ran: facts.flatMap((fact) => (fact.type === 'tool.started' ? [fact.callId] : [])),
      reason: result.reason,
      hasAnswer: result.answer !== '',
      turns: result.turns,
    },
  };
}

/** What people said and what tools gave back, beside what the machine can tell of a fact. */
const kitFactOf = (fact: RecordedFact): Readonly<Record<string, unknown>> => ({
  ...normalFact(fact),
  ...(fact.type === 'tool.finished' && { content: fact.outcome.content }),
  ...(fact.type === 'user.interjected' && { text: fact.text }),
});

const NEEDS: readonly (readonly [KitPath['needs'][number], (fact: RecordedFact) => boolean])[] = [
  ['approval', ({ type }) => type === 'approval.decided'],
  ['abort', ({ type }) => type === 'run.aborted'],
  ['interjection', ({ type }) => type === 'user.interjected'],
  ['raise', ({ type }) => type === 'limit.raised' || type === 'limit.kept'],
  ['retry', ({ type }) => type === 'model.failed'],
  ['rules', (fact) => 'calls' in fact && fact.calls.some(({ verdict }) => verdict === 'deny')],
];

const needsOf = (facts: readonly RecordedFact[], { budget = null }: Configuration): KitPath['needs'] => [
  ...NEEDS.filter(([, isNeeded]) => facts.some(isNeeded)).map(([need]) => need),
  ...(budget === null ? [] : (['budget'] as const)),
];

/** @param body of a request of the Messages API */
export function kitRequestOf(body: unknown): KitRequest {
  const {
    tools,
    tool_choice: choice,
    messages,
  } = body as {
    readonly tools?: readonly unknown[];
    readonly tool_choice?: { readonly type: string };
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  };
  return {
    mayCallTools: (tools ?? []).length > 0 && choice?.type !== 'none',
    messages: messages.map(({ role, content }) => ({ role, blocks: blocksOf(content) })),
  };
}

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
}

/** The strict server has accepted the body, so these are blocks. */
const blocksOf = (content: unknown): readonly string[] =>
  typeof content === 'string' ? ['text'] : (content as readonly Block[]).map(blockOf);

const blockOf = ({ type, id, tool_use_id: of, is_error: isError }: Block): string =>
  [type, type === 'tool_use' ? id : of, isError === true ? 'error' : undefined]
    .filter((part) => part !== undefined)
    .join(' ');
