/** Invariant 6, the frame: a header first, and each segment with one end. */
import type { ParsedJournal, Violation } from './lines.ts';

export function segmentViolations({ order, violations }: ParsedJournal): readonly Violation[] {
  const found: Violation[] = [];
  const say = (line: number, message: string): void => void found.push({ line, invariant: 6, message });
  const unreadable = violations.some(({ line }) => line === 1);
  if (order[0]?.type !== 'run.started' && !unreadable)
    say(1, 'A journal begins with its header, run.started.');
  let isOver = false;
  for (const [index, { type, line }] of order.entries()) {
    if (type === 'run.started' && index > 0) say(line, 'A journal has one header; this is a second one.');
    if (isOver && type !== 'run.resumed') {
      say(line, `The segment has ended: ${type} has no place behind run.ended.`);
    }
    if (type === 'run.ended') isOver = true;
    if (type === 'run.resumed') isOver = false;
  }
  const last = order.at(-1);
  if (last !== undefined && !isOver) {
    say(last.line, 'The run has no end: its process died, or is still at work.');
  }
  return found;
}
