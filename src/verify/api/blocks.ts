/** Rules of single blocks: what an assistant or a user may say, server tools, and messages of the system. */
import type { Placed, Turn } from './history.ts';
import { firstOf, invalid, isFields, listOf, wordOf, type Fields, type Refusal } from './values.ts';

export function checkBlocks(turns: readonly Turn[], version: string): Refusal | null {
  return (
    firstOf(turns, (turn) => firstOf(turn.blocks, (placed) => checkBlock(turn.role, placed, version))) ??
    checkServerResults(turns) ??
    checkServerCalls(turns)
  );
}

const at = ({ message, position }: Placed, text: string): Refusal =>
  invalid(`messages.${message}.content.${position}${text}`);

function checkBlock(role: string, placed: Placed, version: string): Refusal | null {
  const { block } = placed;
  const { type } = block;
  if (type === 'thinking' && block['signature'] === '') {
    return at(placed, ': Invalid `signature` in `thinking` block');
  }
  if (version === '2023-06-01') return null;
  if (role === 'assistant' && type === 'document') {
    return at(placed, ": Input tag 'document' is not permitted in assistant messages");
  }
  const hasCitations = listOf(block['citations']).length > 0;
  return role === 'user' && type === 'text' && hasCitations
    ? at(placed, '.text.citations: Extra inputs are not permitted')
    : null;
}

const isServerUse = (block: Fields): boolean =>
  /^(server_tool_use|mcp_tool_use)$/.test(wordOf(block['type']));

/** A result of the API's own tools stands behind its call, which may be in an earlier message. */
function checkServerResults(turns: readonly Turn[]): Refusal | null {
  const seen = new Set<unknown>();
  return firstOf(
    turns.flatMap(({ blocks }) => blocks),
    (placed) => {
      const { block } = placed;
      const type = wordOf(block['type']);
      if (isServerUse(block)) seen.add(block['id']);
      const isResult = type.endsWith('_tool_result') && 'tool_use_id' in block;
      if (!isResult || seen.has(block['tool_use_id'])) return null;
      return at(
        placed,
        `: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${wordOf(block['tool_use_id'])}. Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`,
      );
    },
  );
}

/**
 * A call of the API's own tools has its result in the same turn, or the model goes on after the user's results: words of
 * the user before that leave it open for ever.
 */
function checkServerCalls(turns: readonly Turn[]): Refusal | null {
  const results = new Set(turns.flatMap(({ blocks }) => blocks.map(({ block }) => block['tool_use_id'])));
  return firstOf(turns, ({ blocks }, index) => {
    const hasWords = turns[index + 1]?.blocks.some(({ block }) => block['type'] !== 'tool_result');
    const open = blocks.find(({ block }) => isServerUse(block) && !results.has(block['id']));
    if (hasWords !== true || open === undefined) return null;
    const { name, id } = open.block;
    return invalid(
      `\`${wordOf(name)}\` tool use with id \`${wordOf(id)}\` was found without a corresponding \`${wordOf(name)}_tool_result\` block`,
    );
  });
}

/** A message of the system follows the user, and is the last one or is followed by the assistant. */
export function checkSystemMessages(messages: readonly Fields[]): Refusal | null {
  return firstOf(messages, ({ role }, index) => {
    if (role !== 'system') return null;
    const before = messages.slice(0, index).findLast((message) => message['role'] !== 'system');
    const after = messages.slice(index + 1).find((message) => message['role'] !== 'system');
    const isBehindUser = before?.['role'] === 'user' || endsInServerResult(before);
    const isBeforeAssistant = after === undefined || after['role'] === 'assistant';
    return isBehindUser && isBeforeAssistant
      ? null
      : invalid(`messages.${index}: a system message must follow a user turn and precede an assistant turn`);
  });
}

function endsInServerResult(message: Fields | undefined): boolean {
  const last = listOf(message?.['content']).at(-1);
  return isFields(last) && wordOf(last['type']).endsWith('_tool_result');
}
