/** What the model had been sent and had said, fact by fact: a reading of a history that shares no code with the loop's. */
import { callsIn, isAsked, isKept, wordsIn, type Asked, type Placed } from './lines.ts';
import type { FactOf, VerifiedFact } from './schemas.ts';

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

const text = (words: string): Block => ({ type: 'text', text: words });

export const userSays = (...words: readonly string[]): Message => ({
  role: 'user',
  content: words.map(text),
});

export class Rebuilt {
  readonly #messages: Message[];
  readonly #words: string[] = [];
  #heard = 0;
  #results: readonly Block[] = [];
  #open: ReadonlySet<string> = new Set();
  isPaused = false;

  constructor(task: string) {
    this.#messages = [userSays(task)];
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get hasOpenCalls(): boolean {
    return this.#open.size > 0;
  }

  /** The messages of the request that this fact answers. A paused turn goes back with nothing behind it. */
  asked(fact: Asked): readonly Message[] {
    const words = this.isPaused ? [] : this.#wordsFor(fact);
    return words.length === 0 ? this.#messages : [...this.#messages, userSays(...words)];
  }

  add(fact: Placed<VerifiedFact>): void {
    this.#words.push(...wordsIn(fact));
    if (fact.type === 'tool.finished') this.#addResult(fact);
    else if (isAsked(fact) && isKept(fact)) this.#addResponse(fact);
  }

  #wordsFor(fact: Asked): readonly string[] {
    const said = this.#words.slice(this.#heard, fact.heard);
    const instruction = 'instruction' in fact ? fact.instruction : null;
    return instruction === null ? said : [...said, instruction];
  }

  #addResponse(fact: Extract<Asked, { message: unknown }>): void {
    const words = this.isPaused ? [] : this.#wordsFor(fact);
    if (words.length > 0) this.#messages.push(userSays(...words));
    if (!this.isPaused) this.#heard = fact.heard;
    const content = fact.message.content.filter((block) => !isBlank(block));
    if (content.length > 0) this.#messages.push({ role: 'assistant', content });
    this.isPaused = fact.type === 'model.paused';
    this.#open = new Set(callsIn(fact).map(({ id }) => id));
    this.#results = [];
  }

  #addResult({ callId, outcome }: FactOf<'tool.finished'>): void {
    const content = outcome.content.trim() === '' ? '(no output)' : outcome.content;
    this.#results = [...this.#results, { type: 'tool_result', tool_use_id: callId, content }];
    this.#open = new Set([...this.#open].filter((id) => id !== callId));
    if (this.#open.size > 0) return;
    this.#messages.push({ role: 'user', content: this.#results });
    this.#results = [];
  }
}

/** The API may say something blank, but takes nothing blank back. */
const isBlank = (block: Block): boolean =>
  block.type === 'text' && typeof block['text'] === 'string' && block['text'].trim() === '';
