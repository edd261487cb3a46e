/** What a scripted model reads of a request. */
import type { ContentBlock, ModelRequest } from '../ports.ts';
import { isObject } from './json.ts';

export interface Conversation {
  /** Text of the first user message. */
  readonly task: string;
  /** Texts of all tool results, in order. */
  readonly results: readonly string[];
  /** Some result of the last message is an error. */
  readonly lastHasError: boolean;
  /** Assistant messages so far. */
  readonly responses: number;
  readonly isToolless: boolean;
}

export function conversationOf({ messages, tool_choice: choice }: ModelRequest): Conversation {
  const last = blocksOf(messages.at(-1)?.content).filter(isResult);
  return {
    task: textOf(messages.find(({ role }) => role === 'user')?.content),
    results: messages
      .flatMap(({ content }) => blocksOf(content).filter(isResult))
      .map(({ content }) => textOf(content)),
    lastHasError: last.some((block) => block['is_error'] === true),
    responses: messages.filter(({ role }) => role === 'assistant').length,
    isToolless: choice?.type === 'none',
  };
}

const isResult = ({ type }: ContentBlock): boolean => type === 'tool_result';

/** The API takes a plain string for content too. */
const blocksOf = (content: unknown): readonly ContentBlock[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isBlock) : [];
};

const isBlock = (value: unknown): value is ContentBlock =>
  isObject(value) && typeof value['type'] === 'string';

const textOf = (content: unknown): string =>
  blocksOf(content)
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string')
    .join('\n');
