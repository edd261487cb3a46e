/** Rules of the history: who speaks first and last, and that nothing is empty. Pairing stands in its own file. */
import { generationOf } from './models.ts';
import { checkBlocks, checkSystemMessages } from './blocks.ts';
import { checkPairing } from './pairing.ts';
import { firstOf, invalid, isFields, listOf, wordOf, type Fields, type Refusal } from './values.ts';

/** A block with its place, as the API names it: messages of one role in a row are one. */
export interface Placed {
  readonly block: Fields;
  readonly message: number;
  readonly position: number;
}

/** Neighbouring messages of one role are one turn. */
export interface Turn {
  readonly role: string;
  readonly blocks: readonly Placed[];
}

export function checkHistory(body: Fields, version: string, continuesPause: boolean): Refusal | null {
  const messages = listOf(body['messages']).filter(isFields);
  const turns = turnsOf(messages);
  return (
    checkFirst(messages) ??
    checkSystemMessages(messages) ??
    firstOf(messages, (message, index) => checkContent(message, index, messages.length)) ??
    checkBlocks(turns, version) ??
    checkManualThinking(turns, body) ??
    checkPairing(turns, body) ??
    (continuesPause ? null : checkLast(turns, body))
  );
}

function turnsOf(messages: readonly Fields[]): readonly Turn[] {
  const turns: { role: string; blocks: Placed[] }[] = [];
  for (const message of messages) {
    const role = wordOf(message['role']);
    const last = turns.at(-1);
    const turn = last?.role === role ? last : { role, blocks: [] };
    if (turn !== last) turns.push(turn);
    const index = turns.length - 1;
    for (const block of blocksOf(message)) {
      turn.blocks.push({ block, message: index, position: turn.blocks.length });
    }
  }
  return turns;
}

function blocksOf({ content }: Fields): readonly Fields[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  return blocks.filter(isFields);
}

function checkFirst([first]: readonly Fields[]): Refusal | null {
  if (first?.['role'] === 'user') return null;
  const [block] = listOf(first?.['content']);
  // What a compaction leaves of a history begins with its own block.
  if (isFields(block) && block['type'] === 'compaction') return null;
  return invalid('messages: first message must use the "user" role');
}

function checkContent({ role, content }: Fields, index: number, count: number): Refusal | null {
  const isFinalAssistant = role === 'assistant' && index === count - 1;
  const isEmpty = typeof content === 'string' ? content === '' : listOf(content).length === 0;
  if (isEmpty) {
    return isFinalAssistant
      ? null
      : invalid(
          `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
        );
  }
  const texts = typeof content === 'string' ? [content] : listOf(content).flatMap(textOf);
  if (texts.includes('')) return invalid('messages: text content blocks must be non-empty');
  if (texts.some((text) => text.trim() === '')) {
    return invalid('messages: text content blocks must contain non-whitespace text');
  }
  return null;
}

const textOf = (block: unknown): readonly string[] =>
  isFields(block) && block['type'] === 'text' && typeof block['text'] === 'string' ? [block['text']] : [];

function checkLast(turns: readonly Turn[], { model }: Fields): Refusal | null {
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return null;
  const block = last.blocks.at(-1)?.block;
  // A paused turn goes back with the assistant last.
  if (isServerBlock(block)) return null;
  if (generationOf(String(model)) >= 4.6) {
    return invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  return textOf(block).some((words) => words !== words.trimEnd())
    ? invalid('messages: final assistant content cannot end with trailing whitespace')
    : null;
}

/** With a thinking budget, the calls that are being answered follow a thought. */
function checkManualThinking(turns: readonly Turn[], { thinking }: Fields): Refusal | null {
  if (!isFields(thinking) || thinking['type'] !== 'enabled') return null;
  const last = turns.at(-1);
  if (last?.role === 'assistant' && !isServerBlock(last.blocks.at(-1)?.block)) {
    return invalid(
      'This request is a prefill, and thinking is enabled: the final message must be of the user.',
    );
  }
  const isAnswering = last?.blocks.some(({ block }) => block['type'] === 'tool_result') ?? false;
  const index = turns.length - 2;
  const called = turns[index];
  const type = wordOf(called?.blocks[0]?.block['type']);
  // A result that answers nobody is a fault of its own.
  if (!isAnswering || called?.role !== 'assistant' || type.endsWith('thinking')) return null;
  return invalid(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
  );
}

const isServerBlock = (block: Fields | undefined): boolean =>
  /^(server_tool_use|mcp_tool_use|.+_tool_result)$/.test(wordOf(block?.['type']));
