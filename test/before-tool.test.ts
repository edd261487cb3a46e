import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAgent } from '../src/agent.ts';
import type { AgentOptions } from '../src/agent-options.ts';
import { memoryJournal } from '../src/journal/memory.ts';
import { scripted } from '../src/model/scripted.ts';
import type { JournalLine } from '../src/ports.ts';
import { defineTool } from '../src/tools/define-tool.ts';
import { verifyJournal } from '../src/verify/index.ts';

function worldWith(options: Partial<AgentOptions>, script = CALLS) {
  const notes: string[] = [];
  const note = defineTool({
    name: 'note',
    description: 'Notes.',
    input: z.strictObject({ text: z.string() }),
    effects: 'some',
    run: ({ text }) => {
      notes.push(text);
      return 'noted';
    },
  });
  const journal = memoryJournal();
  const agent = createAgent({ model: scripted(script), tools: [note], journal, ...options });
  return { agent, journal, notes };
}

const CALLS = [
  {
    call: [
      { tool: 'note', input: { text: 'a' } },
      { tool: 'note', input: { text: 'b' } },
      { tool: 'fly', input: {} },
    ],
  },
  { say: 'Done.' },
];

const callsIn = (lines: readonly JournalLine[]) =>
  lines.flatMap((line) => (line.type === 'model.called_tools' ? line.calls : []));

describe('code of the host that is asked before a call', () => {
  it('decides about each call, and the journal says that it did', async () => {
    const asked: unknown[] = [];
    const { agent, journal, notes } = worldWith({
      beforeTool: (call) => {
        asked.push({ ...call, id: '' });
        const { text } = call.input as { text: string };
        (call.input as { text: string }).text = 'changed';
        return text === 'a' ? 'allow' : { verdict: 'deny', reason: 'not b' };
      },
    });
    await agent.start('do it').result;
    expect(notes).toEqual(['a']);
    expect(asked[0]).toMatchObject({ name: 'note', effects: 'some', verdict: 'ask', rule: null });
    expect(asked).toHaveLength(2);
    expect(callsIn(journal.lines)).toMatchObject([
      { verdict: 'allow', rule: 'beforeTool', input: { text: 'a' } },
      { verdict: 'deny', rule: 'beforeTool', refusal: expect.stringContaining('not b. It was not run.') },
      { verdict: 'invalid', rule: null },
    ]);
    expect(verifyJournal(journal.lines)).toEqual([]);
  });

  it('cannot loosen a rule, and judges an edited input as well', async () => {
    const { agent, journal, notes } = worldWith({
      rules: [{ tool: 'note', verdict: 'ask' }],
      beforeTool: ({ input }) => ((input as { text: string }).text === 'c' ? 'deny' : 'allow'),
      approve: ({ input }) => ({
        decision: 'approve',
        edited: { text: (input as { text: string }).text === 'a' ? 'c' : 'd' },
      }),
    });
    await agent.start('do it').result;
    expect(notes).toEqual(['d']);
    expect(journal.lines.filter(({ type }) => type === 'approval.decided')).toMatchObject([
      { decision: 'deny', reason: expect.stringContaining('The edited input was refused.') },
      { decision: 'approve' },
    ]);
  });

  it.each([
    { now: 'deny', before: undefined, ran: [] },
    { now: undefined, before: undefined, ran: ['a', 'b'] },
    { now: 'deny', before: 'deny', ran: [] },
    // What it had denied stays so where nobody says otherwise now.
    { now: null, before: 'deny', ran: [] },
    { now: 'allow', before: 'deny', ran: ['a', 'b'] },
  ] as const)('said $before, and says $now of calls of a run that goes on', async ({ now, before, ran }) => {
    const wait = () => ({ decision: 'wait' }) as const;
    const first = worldWith({
      rules: [{ tool: 'note', verdict: 'allow' }],
      approve: wait,
      beforeTool: () => before ?? 'ask',
    });
    const { lines } = first.journal;
    await first.agent.start('do it').result;
    // As where the process died behind the response.
    const cut = lines.slice(0, lines.findIndex(({ type }) => type === 'model.called_tools') + 1);
    const second = worldWith({ ...(now !== null && { beforeTool: () => now }) }, [
      { say: 'not asked any more' },
      { say: 'Done.' },
    ]);
    await second.agent.resume(cut).result;
    expect(second.notes).toEqual(ran);
    expect(verifyJournal([...cut, ...second.journal.lines])).toEqual([]);
  });

  it('that is no function is a wrong option', () => {
    // What JavaScript would let through.
    expect(() => worldWith({ beforeTool: 'deny' as never })).toThrow(/beforeTool|no function/);
  });
});
