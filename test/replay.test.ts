import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createAgent,
  defineTool,
  memoryJournal,
  replayOf,
  type AgentOptions,
  type JournalLine,
} from '../src/index.ts';
import { scripted } from '../src/testing/index.ts';

const echo = (answer: string) =>
  defineTool({
    name: 'echo',
    description: 'Says it again.',
    input: z.strictObject({ text: z.string() }),
    effects: 'none',
    run: ({ text }) => `${answer}${text}`,
  });

const call = (text: string) => ({ call: [{ tool: 'echo', input: { text } }] });

const SCRIPT = [call('a'), call('b'), { when: 'summary' as const, say: 'Summary.' }];

async function record(options: Partial<AgentOptions> = {}): Promise<readonly JournalLine[]> {
  const journal = memoryJournal();
  const agent = createAgent({
    model: scripted(SCRIPT),
    tools: [echo('')],
    limits: { maxTurns: 3 },
    journal,
    ...options,
  });
  await agent.start('Go.').result;
  return journal.lines;
}

const again = async (lines: readonly JournalLine[], options: Partial<AgentOptions> = {}) => {
  const agent = createAgent({
    model: replayOf(lines),
    tools: [echo('')],
    limits: { maxTurns: 3 },
    ...options,
  });
  return agent.start('Go.').result;
};

describe('a recorded run', () => {
  it('answers the same agent to the end, the summary included', async () => {
    expect(await again(await record())).toMatchObject({ reason: 'max_turns', answer: 'Summary.', turns: 3 });
  });

  it.each([
    { what: 'a tool result', options: { tools: [echo('x')] }, place: /messages\[2\]\.content\[0\]\.content/ },
    { what: 'the system text', options: { system: 'Another.' }, place: /system/ },
    { what: 'the effort', options: { effort: null }, place: /output_config/ },
  ])('fails at the first request that differs, and names $what', async ({ options, place }) => {
    const result = await again(await record(), options);
    expect(result).toMatchObject({
      reason: 'model_failed',
      failure: { message: expect.stringMatching(place) },
    });
  });

  it('fails when it is asked more than it was', async () => {
    const lines = await record();
    const result = await again(lines.filter((line) => !('request' in line) || line.request !== 'summary'));
    expect(result).toMatchObject({ reason: 'max_turns', summary: 'failed' });
  });
});
