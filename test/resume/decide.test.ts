import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAgent } from '../../src/agent.ts';
import { systemClock } from '../../src/clock.ts';
import { memoryJournal } from '../../src/journal/memory.ts';
import { scripted } from '../../src/model/scripted.ts';
import type { FactOf, JournalLine } from '../../src/ports.ts';
import { recordingOf } from '../../src/resume.ts';
import { recordDecisions } from '../../src/run.ts';
import { storedRun } from '../../src/stored-run.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { verifyJournal } from '../../src/verify/index.ts';

const notes: string[] = [];
const note = defineTool({
  name: 'note',
  description: 'Keeps a note.',
  input: z.strictObject({ text: z.string() }),
  effects: 'some',
  run: ({ text }) => {
    notes.push(text);
    return 'kept';
  },
});
const script = [
  {
    call: [
      { tool: 'note', input: { text: 'a' } },
      { tool: 'note', input: { text: 'b' } },
    ],
  },
  { say: 'Done.' },
];

/** A run that waits for two decisions. */
async function waiting(): Promise<readonly JournalLine[]> {
  const journal = memoryJournal();
  const agent = createAgent({
    model: scripted(script),
    tools: [note],
    journal,
    approve: () => ({ decision: 'wait' }),
  });
  await agent.start('Take notes.').result;
  return journal.lines;
}

type Decided = FactOf<'approval.decided'>;

async function decide(
  lines: readonly JournalLine[],
  decisions: readonly Decided['decision'][],
  skip = 0,
): Promise<readonly JournalLine[]> {
  const { state } = storedRun(lines);
  const journal = memoryJournal();
  const facts = state.snapshot.context.calls.slice(skip).flatMap(({ id, inputHash }, index): Decided[] => {
    const decision = decisions[index];
    if (decision === undefined) return [];
    return [
      { type: 'approval.decided', callId: id, inputHash, decision, by: 'person', reason: null, edited: null },
    ];
  });
  await recordDecisions(state, recordingOf(state), facts, { journal, clock: systemClock });
  return [...lines, ...journal.lines];
}

describe('decisions that are recorded by themselves', () => {
  it('are a segment of their own, and run nothing', async () => {
    const lines = await decide(await waiting(), ['approve', 'deny']);
    expect(lines.slice(3).map(({ type }) => type)).toEqual([
      'run.resumed',
      'approval.decided',
      'approval.decided',
      'run.ended',
    ]);
    expect(lines.at(-1)).toMatchObject({ result: { state: 'waiting', callIds: [] } });
    expect(verifyJournal(lines)).toEqual([]);
    expect(notes).toEqual([]);
  });

  it('may come one by one; then the run goes on with all of them', async () => {
    const first = await decide(await waiting(), ['deny']);
    expect(first.at(-1)).toMatchObject({ result: { state: 'waiting', callIds: [expect.any(String)] } });
    const lines = await decide(first, ['approve'], 1);
    const journal = memoryJournal();
    const agent = createAgent({ model: scripted(script), tools: [note], journal });
    expect(await agent.resume(lines).result).toMatchObject({ reason: 'end_turn', answer: 'Done.' });
    expect(verifyJournal([...lines, ...journal.lines])).toEqual([]);
    expect(notes).toEqual(['b']);
  });

  it('must be of the input that was shown, and of a call that waits', async () => {
    const lines = await waiting();
    const { state } = storedRun(lines);
    const wrong: Decided = {
      type: 'approval.decided',
      callId: state.snapshot.context.calls[0]?.id ?? '',
      inputHash: '0'.repeat(64),
      decision: 'approve',
      by: 'person',
      reason: null,
      edited: null,
    };
    const ports = { journal: memoryJournal(), clock: systemClock };
    await expect(recordDecisions(state, recordingOf(state), [wrong], ports)).rejects.toThrow(
      /cannot take approval.decided/,
    );
  });
});
