import { describe, expect, it } from 'vitest';
import type { InspectionEvent } from 'xstate';
import { createAgent, defineTool } from '../src/index.ts';
import { memoryJournal } from '../src/journal/memory.ts';
import { scripted } from '../src/model/scripted.ts';
import type { Inspect } from '../src/inspect/mirror.ts';
import { z } from 'zod';

const SECRET = 'the-text-of-a-result';

const tool = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.strictObject({ at: z.string() }),
  effects: 'none',
  run: () => SECRET,
});

async function runWith(inspect?: Inspect) {
  const journal = memoryJournal();
  const agent = createAgent({
    model: scripted([
      { call: [{ tool: 'look', input: { at: 'what-the-model-asks' } }] },
      { say: 'what-it-says' },
    ]),
    tools: [tool],
    journal,
    ...(inspect && { inspect }),
  });
  const result = await agent.start('what-the-user-wants').result;
  return { result, lines: journal.lines };
}

describe('the inspect option', () => {
  it('shows an actor whose snapshots follow the facts, one for each', async () => {
    const seen: InspectionEvent[] = [];
    const { lines } = await runWith((event) => seen.push(event));
    const states = seen.flatMap((event) =>
      event.type === '@xstate.snapshot' && 'value' in event.snapshot ? [event.snapshot.value] : [],
    );
    expect(states).toEqual([
      { running: 'callingModel' },
      { running: 'executingTools' },
      { running: 'executingTools' },
      { running: 'callingModel' },
      'stoppedEndTurn',
    ]);
    expect(states).toHaveLength(lines.length - 1);
  });

  it.each([SECRET, 'what-the-model-asks', 'what-it-says', 'what-the-user-wants'])(
    'shows no texts: not %s',
    async (text) => {
      const seen: string[] = [];
      await runWith((event) => {
        if (event.type === '@xstate.event') seen.push(JSON.stringify(event.event));
        if (event.type === '@xstate.snapshot') seen.push(JSON.stringify(event.snapshot));
      });
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.join('\n')).not.toContain(text);
    },
  );

  it('changes nothing where it throws', async () => {
    const { result } = await runWith(() => {
      throw new Error('The inspector broke.');
    });
    const { result: without } = await runWith();
    expect(result).toEqual({ ...without, runId: result.runId });
  });
});
