/** The history that the model is sent: a fold over the facts of a run. */
import type { ContentBlock, Fact, FactOf, JournalHeader, Message } from '../ports.ts';
import { textBlock, withoutBlankText } from './blocks.ts';

export interface History {
  readonly messages: readonly Message[];
  /** All that the user said since the task, in order; also what the loop said for them when the run was resumed. */
  readonly interjections: readonly string[];
  /** How many of those stand in `messages`. */
  readonly heard: number;
  /** The last response was paused: it must go back as it is, with nothing after it. */
  readonly isPaused: boolean;
  /** Results of the last response's calls that stand in no message yet, since others are still missing. */
  readonly results: readonly ContentBlock[];
  /** Calls of the last response that have no result yet. */
  readonly openCalls: number;
}

export function historyOf(header: Pick<JournalHeader, 'task'>, facts: readonly Fact[]): History {
  const history: Growing = {
    messages: [{ role: 'user', content: [textBlock(header.task)] }],
    interjections: [],
    heard: 0,
    isPaused: false,
    results: [],
    openCalls: 0,
  };
  for (const fact of facts) addFact(history, fact);
  return history;
}

/** Grown in place: a copy for each fact would cost as much as all facts before it. */
type Growing = { -readonly [Field in keyof History]: History[Field] } & {
  readonly messages: Message[];
  readonly interjections: string[];
  results: ContentBlock[];
};

function addFact(history: Growing, fact: Fact): void {
  switch (fact.type) {
    case 'model.answered':
    case 'model.called_tools':
      return addResponse(history, fact, fact.calls.length);
    case 'model.truncated':
      // A truncation that can grow is asked again and never becomes history.
      return fact.canGrow ? undefined : addResponse(history, fact, fact.calls.length);
    case 'model.paused':
      addResponse(history, fact, 0);
      history.isPaused = true;
      return undefined;
    case 'tool.finished':
      return addResult(history, fact);
    case 'user.interjected':
      history.interjections.push(fact.text);
      return undefined;
    case 'run.resumed':
      history.interjections.push(...fact.words);
      return undefined;
    case 'model.refused':
    case 'model.overflowed':
    case 'model.failed':
    case 'retry.due':
    case 'approval.decided':
    case 'tool.started':
    case 'limit.raised':
    case 'limit.kept':
    case 'run.aborted':
      return undefined;
  }
}

type Counted = FactOf<'model.answered' | 'model.called_tools' | 'model.truncated' | 'model.paused'>;

function addResponse(history: Growing, fact: Counted, openCalls: number): void {
  const said = history.interjections.slice(history.heard, fact.heard);
  const words = fact.instruction === null ? said : [...said, fact.instruction];
  history.messages.push(...addWords(history.messages.splice(-1), words));
  const content = withoutBlankText(fact.message.content);
  if (content.length > 0) history.messages.push({ role: 'assistant', content });
  history.heard = fact.heard;
  history.isPaused = false;
  history.openCalls = openCalls;
}

/** All results of a turn go into one user message, in the order of the calls. */
function addResult(history: Growing, fact: FactOf<'tool.finished'>): void {
  history.results.push(resultBlock(fact));
  history.openCalls -= 1;
  if (history.openCalls > 0) return;
  history.messages.push({ role: 'user', content: history.results });
  history.results = [];
  history.openCalls = 0;
}

const resultBlock = ({ callId, outcome }: FactOf<'tool.finished'>): ContentBlock => ({
  type: 'tool_result',
  tool_use_id: callId,
  content: outcome.content.trim() === '' ? '(no output)' : outcome.content,
  ...(outcome.kind !== 'succeeded' && { is_error: true }),
});

/** Words of the user join the last user message, behind the tool results that it may hold. */
export function addWords(messages: readonly Message[], words: readonly string[]): readonly Message[] {
  if (words.length === 0) return messages;
  const blocks = words.map(textBlock);
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: blocks }];
  return [...messages.slice(0, -1), { role: 'user', content: [...last.content, ...blocks] }];
}
