/** Calls that could not go back to the model: the API would refuse every later request of the run. */
import { isHashable } from '../facts/hash.ts';
import { isToolUse } from '../history/blocks.ts';
import type { ContentBlock } from '../ports.ts';
import { callsIn } from './calls.ts';
import type { RunView } from './effect.ts';

/** The API's own rules. */
const ID = /^[a-zA-Z0-9_-]+$/;
const MAX_NAME = 200;

/** What is wrong with the calls of a response; null when nothing is. */
export function faultOfCalls(content: readonly ContentBlock[], { header, facts }: RunView): string | null {
  const blocks = content.filter(({ type }) => type === 'tool_use');
  if (blocks.length === 0) return null;
  if (header.tools.length === 0) return 'there is a tool call, but the run has no tools';
  if (!blocks.every((block) => isToolUse(block) && ID.test(block.id)))
    return 'a tool call has no name, or no id of letters, digits, _ and -';
  if (!blocks.every(hasInput)) return 'the input of a tool call is no JSON object';
  if (!blocks.every(hasName)) return `the name of a tool call is blank or longer than ${MAX_NAME} characters`;
  const ids = blocks.filter(isToolUse).map(({ id }) => id);
  return hasRepeated(ids, facts) ? 'two tool calls have the same id' : null;
}

const hasInput = ({ input }: ContentBlock): boolean =>
  typeof input === 'object' && input !== null && !Array.isArray(input) && isHashable(input);

const hasName = ({ name }: ContentBlock): boolean =>
  typeof name === 'string' && name !== '' && name.length <= MAX_NAME && name.isWellFormed();

/** Results are matched by id, and approvals addressed by it: it must be unique in the whole run. */
function hasRepeated(ids: readonly string[], facts: RunView['facts']): boolean {
  const earlier = new Set(
    facts
      .filter((fact) => !('canGrow' in fact && fact.canGrow))
      .flatMap((fact) => callsIn(fact).map(({ id }) => id)),
  );
  return new Set(ids).size < ids.length || ids.some((id) => earlier.has(id));
}
