import type { JournalLine, RecordedFact } from '../ports.ts';

export const isFact = (line: JournalLine): line is RecordedFact =>
  line.type !== 'run.started' && line.type !== 'run.ended';
