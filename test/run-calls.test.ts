import { describe, expect, it } from 'vitest';
import type { ContentBlock, ModelReply } from '../src/ports.ts';
import { play, replies, text, toolUse, type World } from './support/world.ts';

const answers = (words = 'Done.') => replies([text(words)]);

/** How calls can end badly before they start. */
interface Badly {
  readonly what: string;
  readonly call: (id: string, input?: unknown) => ModelReply;
  readonly box: NonNullable<World['box']>;
  readonly says: string;
}

describe('a call that cannot run', () => {
  const list = (id: string, input: unknown = { id }) => replies([toolUse(id, 'list_files', input)]);
  const write = (id: string, input: unknown = { id }) => replies([toolUse(id, 'write', input)]);
  const badly = (id: string, input: unknown = { id }) => replies([toolUse(id, 'read', input)]);

  it.each<Badly>([
    { what: 'a tool that is not there', call: list, box: {}, says: 'No tool list_files.' },
    {
      what: 'input that the schema refuses',
      call: badly,
      box: { judge: () => ({ verdict: 'invalid', effects: 'none', refusal: 'path is missing.' }) },
      says: 'path is missing.',
    },
    { what: 'a rule that denies', call: write, box: { denies: ['write'] }, says: 'A rule denies it.' },
    {
      what: 'a person who denies',
      call: write,
      box: { asks: ['write'] },
      says: 'write was denied by person: no reason.',
    },
  ])('B15: $what counts as a turn and as a failure', async ({ call, box, says }) => {
    const approver = { decide: async () => ({ decision: 'deny', by: 'person', reason: null }) as const };
    const ids = ['a', 'b', 'c', 'd'];
    const other = await play({
      turns: [...ids.slice(0, 2).map((id) => call(id)), answers('Summary.')],
      limits: { maxTurns: 3 },
      box,
      approver,
    });
    expect(other.result).toMatchObject({ reason: 'max_turns', answer: 'Summary.', turns: 3 });
    expect(other.ran).toEqual([]);
    expect(other.story).not.toContain('tool.started');
    const refusal: ContentBlock = { type: 'tool_result', tool_use_id: 'a', content: says, is_error: true };
    expect(other.requests[1]?.messages.at(-1)?.content).toEqual([refusal]);

    const same = await play({
      turns: [...ids.slice(0, 3).map((id) => call(id, {})), answers('I give up.')],
      box,
      approver,
    });
    expect(same.result).toMatchObject({ reason: 'stuck', answer: 'I give up.', turns: 4 });
  });
});
