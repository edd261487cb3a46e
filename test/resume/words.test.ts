import { describe, expect, it } from 'vitest';
import { verifyJournal } from '../../src/verify/index.ts';
import type { JournalLine } from '../../src/ports.ts';
import { play, replies, text, toolUse } from '../support/world.ts';
import { clean, set } from '../verify/recorded.ts';
import { again } from './again.ts';

const DONE = { turns: [replies([text('Done.')])] };

describe('a run that goes on', () => {
  it('says to the model to go on, where it had its last word and the user says nothing', async () => {
    const { lines } = await play({
      turns: [replies([toolUse('a')]), replies([text('So far.')])],
      limits: { maxTurns: 2 },
    });
    const gone = await again(lines, DONE, { limits: { maxTurns: 3 } });
    expect(gone.requests[0]?.messages.at(-1)).toEqual({ role: 'user', content: [text('Go on.')] });
    expect(verifyJournal(gone.lines)).toEqual([]);
  });

  it('carries what the user said too late for the segment before', async () => {
    const lines = set(15, 'result.unread', ['And?'])(clean()) as JournalLine[];
    const gone = await again(lines, DONE);
    expect(gone.requests[0]?.messages.at(-1)).toEqual({ role: 'user', content: [text('And?')] });
    expect(verifyJournal(gone.lines)).toEqual([]);
  });

  it('does not hand the thoughts of one model to another', async () => {
    const { lines } = await play({
      header: { model: 'other-model' },
      turns: [replies([{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }, text('Done.')])],
    });
    await expect(again(lines, DONE, { message: 'And?' })).rejects.toThrow(/has thoughts of other-model/);
  });
});
