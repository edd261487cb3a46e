/** Another process that goes on with a run, in a world of its own. */
import type { JournalLine } from '../../src/ports.ts';
import { lateWords, resumptionOf, type ResumeRequest } from '../../src/resume.ts';
import { resumeLoop } from '../../src/run.ts';
import { RunState } from '../../src/run-state.ts';
import { playBy, type Played, type World } from '../support/world.ts';

function stateOf(lines: readonly JournalLine[]): RunState {
  const [header, ...rest] = lines;
  if (header?.type !== 'run.started') throw new Error('A journal begins with its header.');
  const state = new RunState(header);
  for (const line of rest) if (line.type !== 'run.ended' && line.type !== 'run.started') state.take(line);
  return state;
}

/** @returns the journal with its new segment, and what was asked and run in that */
export async function again(
  lines: readonly JournalLine[],
  world: World,
  changes: Partial<ResumeRequest> = {},
): Promise<Played> {
  // As a file has it.
  const stored = JSON.parse(JSON.stringify(lines)) as readonly JournalLine[];
  const state = stateOf(stored);
  const last = stored.at(-1);
  const request: ResumeRequest = {
    limits: {},
    message: null,
    late: lateWords(state, last?.type === 'run.ended' ? last.result : null),
    price: state.header.price,
    rules: state.header.rules,
    workdir: null,
    confinements: {},
    timeoutMs: null,
    isTrusted: true,
    ...changes,
  };
  const played = await playBy(world, async (ports) =>
    resumeLoop(state, resumptionOf(state, request, ports), ports, world.inbox),
  );
  return { ...played, lines: [...stored, ...played.lines] };
}
