/** The history that the model is sent: a fold over the facts of a run. */
import type { ContentBlock, Fact, FactOf, JournalHeader, Message } from '../ports.ts';
import { textBlock, withoutBlankText } from './blocks.ts';

export interface History {
  readonly messages: readonly Message[];
  /** All that the user said since the task, in order. */
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

export const historyOf = (header: Pick<JournalHeader, 'task'>, facts: readonly Fact[]): History =>
  facts.reduce(addFact, {
    messages: [{ role: 'user', content: [textBlock(header.task)] }],
    interjections: [],
    heard: 0,
    isPaused: false,
    results: [],
    openCalls: 0,
  });

function addFact(history: History, fact: Fact): History {
  switch (fact.type) {
    case 'model.answered':
    case 'model.called_tools':
      return addResponse(history, fact, fact.calls.length);
    case 'model.truncated':
      // A truncation that can grow is asked again and never becomes history.
      return fact.canGrow ? history : addResponse(history, fact, fact.calls.length);
    case 'model.paused':
      return { ...addResponse(history, fact, 0), isPaused: true };
    case 'tool.finished':
      return addResult(history, fact);
    case 'user.interjected':
      return { ...history, interjections: [...history.interjections, fact.text] };
    case 'model.refused':
    case 'model.overflowed':
    case 'model.failed':
    case 'retry.due':
    case 'approval.decided':
    case 'tool.started':
    case 'limit.raised':
    case 'limit.kept':
    case 'run.aborted':
      return history;
  }
}

type Counted = FactOf<'model.answered' | 'model.called_tools' | 'model.truncated' | 'model.paused'>;

function addResponse(history: History, fact: Counted, openCalls: number): History {
  const said = history.interjections.slice(history.heard, fact.heard);
  const words = fact.instruction === null ? said : [...said, fact.instruction];
  const content = withoutBlankText(fact.message.content);
  const answer: readonly Message[] = content.length === 0 ? [] : [{ role: 'assistant', content }];
  return {
    ...history,
    messages: [...addWords(history.messages, words), ...answer],
    heard: fact.heard,
    isPaused: false,
    openCalls,
  };
}

/** All results of a turn go into one user message, in the order of the calls. */
function addResult(history: History, fact: FactOf<'tool.finished'>): History {
  const results = [...history.results, resultBlock(fact)];
  const openCalls = history.openCalls - 1;
  if (openCalls > 0) return { ...history, results, openCalls };
  return {
    ...history,
    messages: [...history.messages, { role: 'user', content: results }],
    results: [],
    openCalls: 0,
  };
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
