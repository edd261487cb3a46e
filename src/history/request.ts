/** The request that asks for the next response. */
import type { JournalHeader, ModelRequest } from '../ports.ts';
import { addWords, type History } from './history.ts';

export interface Asking {
  readonly maxTokens: number;
  /** Tools stay defined, since the history names them, but the model cannot call them. */
  readonly isToolless: boolean;
  readonly instruction: string | null;
}

export function requestOf(header: JournalHeader, history: History, asking: Asking): ModelRequest {
  const { model, system, tools, effort } = header;
  return {
    model,
    max_tokens: asking.maxTokens,
    ...(system.trim() !== '' && { system }),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && asking.isToolless && { tool_choice: { type: 'none' as const } }),
    ...(effort !== null && { output_config: { effort } }),
    messages: addWords(history.messages, wordsFor(history, asking)),
  };
}

/** How many interjections the next request carries, counted from the start of the run. */
export const heardBy = (history: History): number =>
  history.isPaused ? history.heard : history.interjections.length;

function wordsFor(history: History, { instruction }: Asking): readonly string[] {
  // A paused turn must come back with nothing behind it: all words wait until it resolves.
  if (history.isPaused) return [];
  const said = history.interjections.slice(history.heard);
  return instruction === null ? said : [...said, instruction];
}
