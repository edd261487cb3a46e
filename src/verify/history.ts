/** Requests and histories from anywhere, held against the rules of the Messages API. */
import { validateRequest } from './api/index.ts';
import { isFields, listOf, wordOf, type Fields } from './api/values.ts';
import { plainOf } from './plain.ts';

export interface HistoryOptions {
  /** Definitions of tools. Default: of a request its own; of a history one for each tool that it names. */
  readonly tools?: readonly unknown[];
  /** Some rules are those of newer models only, which an unknown one counts as. Default: the request's own. */
  readonly model?: string;
  /** Header `anthropic-version`. Default: the current one, 2026-10-21. */
  readonly version?: string;
}

/**
 * Holds a history, or a whole request, against the rules of the Messages API.
 *
 * A history is a list of messages, or a document with `messages` and no `max_tokens`. It may end with what the model
 * said: the question is whether a user could go on from there. A request is judged as it is, but for its model: servers
 * have models of their own.
 * @param history as parsed from JSON; it is not believed to be anything
 * @returns the API's own words for the first thing that it would refuse; null when it would accept
 */
export function verifyHistory(history: unknown, options: HistoryOptions = {}): string | null {
  const plain = plainOf(history);
  if ('problem' in plain) return `The request body is not valid JSON: ${plain.problem}`;
  const { version = '2026-10-21' } = options;
  const body = Array.isArray(plain.value) ? { messages: plain.value } : plain.value;
  const request = isFields(body) ? requestFrom(body, options) : body;
  return validateRequest(request, { version, models: 'any' })?.message ?? null;
}

const requestFrom = (body: Fields, options: HistoryOptions): Fields =>
  withOptions(body['max_tokens'] === undefined ? following(body) : body, options);

const withOptions = (body: Fields, { tools, model }: HistoryOptions): Fields => ({
  model: 'claude-haiku-5-5',
  ...body,
  ...(tools !== undefined && { tools }),
  ...(model !== undefined && { model }),
});

/** The request that could follow a history. Any system text is right; a model may be named in any way. */
const following = ({ messages, model, tools }: Fields): Fields => ({
  ...(typeof model === 'string' && { model }),
  max_tokens: 1_024,
  tools: tools ?? toolsNamedIn(messages),
  messages: withUserLast(messages),
});

/** A paused turn goes back as it is. */
function withUserLast(messages: unknown): unknown {
  const last = listOf(messages).at(-1);
  if (!isFields(last) || last['role'] !== 'assistant') return messages;
  const block = listOf(last['content']).at(-1);
  const isPaused = isFields(block) && /^(server|mcp)_tool_use$/.test(wordOf(block['type']));
  const goOn = { role: 'user', content: [{ type: 'text', text: 'Go on.' }] };
  return isPaused ? messages : [...listOf(messages), goOn];
}

/** A history does not say which tools there were; that those it names were defined is taken for granted. */
function toolsNamedIn(messages: unknown): readonly Fields[] {
  const blocks = listOf(messages).flatMap((message) =>
    isFields(message) ? listOf(message['content']).filter(isFields) : [],
  );
  const names = blocks.flatMap(({ type, name }) => (type === 'tool_use' ? [wordOf(name)] : []));
  return [...new Set(names)].map((name) => ({ name, description: name, input_schema: { type: 'object' } }));
}
