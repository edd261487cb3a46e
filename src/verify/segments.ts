/** Invariant 6, the frame: a header first, and each segment with one end. */
import type { ParsedJournal } from './lines.ts';
import { sayer, type Violation } from './violation.ts';

const say = sayer(6);

export function segmentViolations({ order, violations, header, ends }: ParsedJournal): readonly Violation[] {
  const found: Violation[] = [];
  const isUnreadable = violations.some(({ line }) => line === 1);
  if (order[0]?.type !== 'run.started' && !isUnreadable) {
    found.push(say(1, 'A journal begins with its header, run.started.'));
  }
  // A segment whose process died has no end, and the next one begins all the same.
  let isOver = false;
  for (const [index, { type, line }] of order.entries()) {
    if (type === 'run.started' && index > 0)
      found.push(say(line, 'A journal has one header; this is a second one.'));
    else if (type !== 'run.resumed' && isOver)
      found.push(say(line, `The segment has ended: ${type} has no place behind run.ended.`));
    isOver = type === 'run.ended' || (isOver && type !== 'run.resumed');
  }
  const last = order.at(-1);
  if (last !== undefined && !isOver) {
    found.push(say(last.line, 'The run has no end: its process died, or is still at work.'));
  }
  for (const { line, result } of ends) {
    if (header !== null && result.runId !== header.runId)
      found.push(say(line, 'This is the end of another run: its id is not that of the header.'));
  }
  return found;
}
