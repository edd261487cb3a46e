/** Invariant 1: every request is one that the Messages API accepts. They are rebuilt here, by code of its own. */
import { validateRequest } from './api/index.ts';
import type { Header, ParsedJournal, Placed, VerifiedFact, Violation } from './lines.ts';

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

const VERSION = '2026-10-21';

export function requestViolations({ header, facts }: ParsedJournal): readonly Violation[] {
  if (header === null) return [];
  const found: Violation[] = [];
  const history = new Rebuilt(header.task);
  for (const fact of facts) {
    if (isResponse(fact)) {
      const refusal = refusalOf(header, history.asked(fact));
      if (refusal !== null) {
        found.push({
          line: fact.line,
          invariant: 1,
          message: `The API refuses the request before this: ${refusal}`,
        });
      }
    }
    history.add(fact);
  }
  const last = facts.at(-1);
  // A paused turn goes back as it is; words of the user wait until it has ended.
  const more = history.isPaused ? [] : [{ role: 'user' as const, content: [text('Go on.')] }];
  const rest = [...history.messages, ...more];
  const refusal = last === undefined || history.hasOpenCalls ? null : refusalOf(header, rest);
  if (last !== undefined && refusal !== null) {
    found.push({ line: last.line, invariant: 1, message: `The API refuses to go on from here: ${refusal}` });
  }
  return found;
}

type Response = Placed<Extract<VerifiedFact, { heard: number }>>;

const isResponse = (fact: Placed<VerifiedFact>): fact is Response => 'heard' in fact;

const text = (words: string): Block => ({ type: 'text', text: words });

function refusalOf({ model, maxTokens, system, tools }: Header, messages: readonly Message[]): string | null {
  const body = {
    model,
    max_tokens: maxTokens,
    stream: true,
    ...(system.trim() !== '' && { system }),
    ...(tools.length > 0 && { tools }),
    messages,
  };
  return validateRequest(body, { version: VERSION, models: 'any' })?.message ?? null;
}

/** What the model had been sent and had said, fact by fact. */
class Rebuilt {
  #messages: readonly Message[];
  #words: readonly string[] = [];
  #heard = 0;
  #isPaused = false;
  #results: readonly Block[] = [];
  #open: readonly string[] = [];

  constructor(task: string) {
    this.#messages = [{ role: 'user', content: [text(task)] }];
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get hasOpenCalls(): boolean {
    return this.#open.length > 0;
  }

  /** The messages of the request that this fact answers. */
  asked(fact: Response): readonly Message[] {
    if (this.#isPaused) return this.#messages;
    const instruction = 'instruction' in fact ? fact.instruction : null;
    const words = [
      ...this.#words.slice(this.#heard, fact.heard),
      ...(instruction === null ? [] : [instruction]),
    ];
    return words.length === 0
      ? this.#messages
      : [...this.#messages, { role: 'user', content: words.map(text) }];
  }

  add(fact: Placed<VerifiedFact>): void {
    if (fact.type === 'user.interjected') this.#words = [...this.#words, fact.text];
    else if (fact.type === 'tool.finished') this.#addResult(fact);
    else if (isResponse(fact) && 'message' in fact && joinsHistory(fact)) {
      const content = fact.message.content.filter((block) => !isBlank(block));
      this.#messages = [
        ...this.asked(fact),
        ...(content.length === 0 ? [] : [{ role: 'assistant' as const, content }]),
      ];
      this.#heard = this.#isPaused ? this.#heard : fact.heard;
      this.#isPaused = fact.type === 'model.paused';
      this.#open = 'calls' in fact ? fact.calls.map(({ id }) => id) : [];
      this.#results = [];
    }
  }

  #addResult({ callId, outcome }: Extract<VerifiedFact, { type: 'tool.finished' }>): void {
    const content = outcome.content.trim() === '' ? '(no output)' : outcome.content;
    const isError = outcome.kind !== 'succeeded';
    this.#results = [
      ...this.#results,
      { type: 'tool_result', tool_use_id: callId, content, is_error: isError },
    ];
    this.#open = this.#open.filter((id) => id !== callId);
    if (this.#open.length > 0) return;
    this.#messages = [...this.#messages, { role: 'user', content: this.#results }];
    this.#results = [];
  }
}

const isBlank = (block: Block): boolean =>
  block.type === 'text' && typeof block['text'] === 'string' && block['text'].trim() === '';

/** A refusal, an overflow, and a truncation that is asked again leave nothing behind. */
const joinsHistory = (fact: VerifiedFact): boolean =>
  fact.type === 'model.answered' ||
  fact.type === 'model.called_tools' ||
  fact.type === 'model.paused' ||
  (fact.type === 'model.truncated' && !fact.canGrow);
