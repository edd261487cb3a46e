import { describe, expect, it } from 'vitest';
import { verifyJournal } from '../../src/verify/index.ts';
import { play, replies, text, toolUse } from '../support/world.ts';
import { again } from './again.ts';

/** The first of two calls is approved, the second waits. */
async function halfApproved() {
  const decisions = [{ decision: 'approve', by: 'person' }] as const;
  let next = 0;
  const { lines } = await play({
    turns: [replies([toolUse('a', 'write'), toolUse('b', 'write')])],
    box: { asks: ['write'] },
    approver: { decide: async () => decisions[next++] ?? { decision: 'wait' } },
  });
  return lines;
}

describe('an approval of before', () => {
  it.each([
    { rules: 'still ask', box: { asks: ['write'] }, ran: ['a', 'b'] },
    { rules: 'forbid the call by now', box: { denies: ['write'] }, ran: [] },
  ])('where the rules $rules, lets $ran run', async ({ box, ran }) => {
    const gone = await again(await halfApproved(), { turns: [replies([text('Done.')])], box });
    expect(gone.ran).toEqual(ran);
    expect(verifyJournal(gone.lines)).toEqual([]);
  });
});

/** A call, up to the moment when it has begun. */
async function begun(tool: string) {
  const { lines } = await play({ turns: [replies([toolUse('a', tool)]), replies([text('Done.')])] });
  return lines.slice(0, lines.findIndex(({ type }) => type === 'tool.started') + 1);
}

describe('a call that had begun when its process died', () => {
  it.each([
    { what: 'only reads', tool: 'read', box: {}, ran: ['a'], end: 'succeeded' },
    {
      what: 'only reads, and is forbidden by now',
      tool: 'read',
      box: { denies: ['read'] },
      ran: [],
      end: 'interrupted',
    },
    { what: 'may have had its effect', tool: 'write', box: {}, ran: [], end: 'interrupted' },
  ])('and $what ends as $end', async ({ tool, box, ran, end }) => {
    const gone = await again(await begun(tool), { turns: [replies([text('Done.')])], box });
    expect(gone.ran).toEqual(ran);
    expect(gone.lines.flatMap((line) => (line.type === 'tool.finished' ? [line.outcome.kind] : []))).toEqual([
      end,
    ]);
    expect(verifyJournal(gone.lines)).toEqual([]);
  });
});
