/** Every tool call has its result, in the next message and before anything else in it. */
import type { Placed, Turn } from './history.ts';
import { firstOf, invalid, listOf, wordOf, type Fields, type Refusal } from './values.ts';

export function checkPairing(turns: readonly Turn[], body: Fields): Refusal | null {
  return (
    checkIds(turns) ??
    firstOf(turns, (turn, index) => checkTurn(turn, turns[index - 1], turns[index + 1])) ??
    checkDefined(turns, body)
  );
}

const ofType =
  (type: string) =>
  ({ block }: Placed): boolean =>
    block['type'] === type;

const idOf = ({ block }: Placed): string => wordOf(block['id'] ?? block['tool_use_id']);

function checkIds(turns: readonly Turn[]): Refusal | null {
  const seen = new Set<string>();
  return firstOf(turns.flatMap(({ blocks }) => blocks).filter(ofType('tool_use')), (placed) => {
    if (seen.has(idOf(placed))) return at(placed, '`tool_use` ids must be unique');
    seen.add(idOf(placed));
    return null;
  });
}

const at = ({ message, position }: Placed, text: string): Refusal =>
  invalid(`messages.${message}.content.${position}: ${text}`);

function checkTurn(turn: Turn, before: Turn | undefined, after: Turn | undefined): Refusal | null {
  return turn.role === 'assistant' ? checkCalls(turn, after) : checkResults(turn, before);
}

/** Results count only while nothing else stands before them. */
function leadingResults(turn: Turn | undefined): ReadonlySet<string> {
  const blocks = turn?.role === 'user' ? turn.blocks : [];
  const end = blocks.findIndex((placed) => !ofType('tool_result')(placed));
  return new Set((end < 0 ? blocks : blocks.slice(0, end)).map(idOf));
}

function checkCalls(turn: Turn, after: Turn | undefined): Refusal | null {
  const calls = turn.blocks.filter(ofType('tool_use'));
  const answered = leadingResults(after);
  const open = calls.filter((call) => !answered.has(idOf(call)));
  const [first] = open;
  if (first === undefined) return null;
  return invalid(
    `messages.${first.message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.map(idOf).join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkResults(turn: Turn, before: Turn | undefined): Refusal | null {
  const calls = new Set(
    (before?.role === 'assistant' ? before.blocks : []).filter(ofType('tool_use')).map(idOf),
  );
  const seen = new Set<string>();
  return firstOf(turn.blocks.filter(ofType('tool_result')), (result) => {
    const id = idOf(result);
    if (!calls.has(id)) {
      return at(
        result,
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (seen.has(id)) {
      return at(
        result,
        `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
    return null;
  });
}

/** Each result has its call by now. */
function checkDefined(turns: readonly Turn[], { tools }: Fields): Refusal | null {
  const usesTools = turns.some(({ blocks }) => blocks.some(ofType('tool_use')));
  return usesTools && listOf(tools).length === 0
    ? invalid('Requests which include `tool_use` or `tool_result` blocks must define tools')
    : null;
}
