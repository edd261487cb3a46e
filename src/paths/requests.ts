/**
 * What each request of a path has to say, by the rules and by what the outside did: the history is kept once more here,
 * from what the server sent and what people said, and shares nothing with the loop's.
 */
import type { Cause, LoopEvent, ModelFact } from '../../machines/index.ts';
import type { Reply } from '../testing/reply.ts';
import { AMOUNTS, inputOf } from './configuration.ts';
import { toolsAt } from './contract.ts';
import { enter, isOpen, openLedger, type Ledger } from './ledger.ts';
import type { Played } from './play.ts';
import { isSilent, preludeOf } from './prelude.ts';
import { isModelFact } from './replies.ts';
import { assistantBlock, messageOf, type RequestShape } from './shape.ts';
import type { Path } from './walk.ts';

type Finished = Extract<LoopEvent, { type: 'tool.finished' }>;
type Resumed = Extract<LoopEvent, { type: 'run.resumed' }>;

/** A request that was out, or about to be, when the run was aborted or its process died. */
export interface CutRequest {
  /** Of the fact, in the whole journal. */
  readonly position: number;
  readonly purpose: 'turn' | 'summary';
  readonly growths: number | null;
  /** Its place among the requests; null: it was not sent. */
  readonly sent: number | null;
}

export interface Requests {
  /** What has to be sent, in order. */
  readonly shapes: readonly RequestShape[];
  readonly cut: readonly CutRequest[];
}

/** The requests of a path and of what comes before it. */
export function requestsOf(path: Path, played: Played): Requests {
  const { configuration } = played;
  const told = new Telling(played);
  const prelude = preludeOf(configuration);
  if (prelude.path.length > 0) told.tell(prelude.path, openLedger(inputOf(prelude.configuration)));
  told.tell(path, openLedger(inputOf(configuration)));
  return told;
}

interface Message {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly string[];
}

/** A request that is due, and what of it stays when its response is kept. */
interface Due {
  readonly shape: RequestShape;
  readonly purpose: CutRequest['purpose'];
  readonly messages: readonly Message[];
  readonly heard: number;
  /** The first one is out before anything comes from outside; of others it depends on when that comes. */
  readonly goesOutWhenCut: boolean;
}

class Telling implements Requests {
  readonly shapes: RequestShape[] = [];
  readonly cut: CutRequest[] = [];
  readonly #replies: Iterator<Reply>;
  readonly #isEarly: boolean;
  readonly #hasOwnTools: boolean;
  /** All that the user said since the task. */
  readonly #words: string[] = [];
  #messages: readonly Message[] = [{ role: 'user', blocks: ['task'] }];
  #heard = 0;
  #results: readonly string[] = [];
  #isPaused = false;
  #due: Due | null = null;
  #position = 0;

  constructor({ replies, isEarly, hasOwnTools }: Played) {
    this.#replies = replies.values();
    this.#isEarly = isEarly;
    this.#hasOwnTools = hasOwnTools;
  }

  tell(path: Path, start: Ledger): void {
    let ledger = start;
    this.#prepare(ledger);
    for (const { event } of path) {
      this.#take(event, ledger);
      ledger = enter(ledger, event);
      this.#position += 1;
      // What is said while a request is out waits for the next one.
      if (event.type !== 'user.interjected') this.#prepare(ledger);
    }
  }

  #prepare(ledger: Ledger): void {
    const tools = toolsAt(ledger);
    const { due, cause, growths, input } = ledger;
    // A paused turn goes back with nothing behind it.
    const words = this.#isPaused
      ? []
      : [...this.#words.slice(this.#heard), ...(due === 'summary' ? [`summary: ${String(cause)}`] : [])];
    const messages = withWords(this.#messages, words);
    this.#due =
      tools === null
        ? null
        : {
            messages,
            purpose: due === 'summary' ? 'summary' : 'turn',
            goesOutWhenCut: !this.#isEarly || this.#position === 0,
            heard: this.#isPaused ? this.#heard : this.#words.length,
            shape: {
              tools,
              growths: input.limits.budget.tokens === null ? growths : null,
              messages: messages.map(({ role, blocks }) => messageOf(role, blocks)),
            },
          };
  }

  #take(fact: LoopEvent, ledger: Ledger): void {
    if (isModelFact(fact)) this.#respond(fact);
    else if (fact.type === 'tool.finished') this.#finish(fact, ledger);
    else if (fact.type === 'run.aborted') this.#cut();
    else if (fact.type === 'run.resumed') {
      this.#cut();
      this.#words.push(...wordsOf(fact));
    } else if (fact.type === 'user.interjected')
      this.#words.push(fact.promptCost.summary.tokens >= AMOUNTS.huge ? 'huge words' : 'words');
  }

  #cut(): void {
    if (this.#due === null) return;
    const { shape, purpose, goesOutWhenCut } = this.#due;
    this.cut.push({
      position: this.#position,
      purpose,
      growths: shape.growths,
      sent: goesOutWhenCut ? this.shapes.length : null,
    });
    if (goesOutWhenCut) this.shapes.push(shape);
  }

  #respond(fact: ModelFact): void {
    const { value: reply } = this.#replies.next();
    const due = this.#due;
    if (due === null) return;
    this.shapes.push(due.shape);
    const isKept = KEPT.has(fact.type) || (fact.type === 'model.truncated' && !fact.canGrow);
    if (!isKept || reply === undefined) return;
    this.#messages = [...due.messages, { role: 'assistant', blocks: contentOf(reply).map(assistantBlock) }];
    this.#heard = due.heard;
    this.#isPaused = fact.type === 'model.paused';
  }

  /** All results of a turn go into one message. */
  #finish(fact: Finished, ledger: Ledger): void {
    this.#results = [...this.#results, resultOf(fact, ledger, this.#hasOwnTools)];
    if (ledger.calls.some((call) => isOpen(call) && call.head.id !== fact.callId)) return;
    this.#messages = [...this.#messages, { role: 'user', blocks: this.#results }];
    this.#results = [];
  }
}

/** Where the user says nothing, the loop asks a model that had the last word to go on. */
const wordsOf = (fact: Resumed): readonly string[] =>
  fact.hasWords ? [isSilent(fact) ? 'go on' : 'words'] : [];

const KEPT: ReadonlySet<string> = new Set<LoopEvent['type']>([
  'model.answered',
  'model.called_tools',
  'model.paused',
]);

const contentOf = (reply: Reply) => (reply.kind === 'message' ? reply.content : []);

/** Behind the results of calls, if there are some: there are never two messages of the user in a row. */
function withWords(messages: readonly Message[], words: readonly string[]): readonly Message[] {
  if (words.length === 0) return messages;
  const last = messages.at(-1);
  return last?.role === 'user'
    ? [...messages.slice(0, -1), { role: 'user', blocks: [...last.blocks, ...words] }]
    : [...messages, { role: 'user', blocks: words }];
}

function resultOf(
  { callId, outcome: { kind }, promptCost }: Finished,
  ledger: Ledger,
  hasOwnTools: boolean,
): string {
  const head = ledger.calls.find((call) => call.head.id === callId)?.head;
  if (kind === 'not_run') return `${callId} not run: ${whyNotRun(ledger)}`;
  if (kind === 'denied') return `${callId} denied by a ${head?.verdict === 'deny' ? 'rule' : 'person'}`;
  if (hasOwnTools || (kind !== 'succeeded' && kind !== 'failed')) return `${callId} ${kind}`;
  const size = promptCost.summary.tokens >= AMOUNTS.huge ? ', huge' : '';
  return `${callId} ${kind}: ${String(head?.fingerprint)}${size}`;
}

const whyNotRun = ({ cause, summary }: Ledger): Cause | 'end_turn' | 'summary' =>
  summary === null ? (cause ?? 'end_turn') : 'summary';
