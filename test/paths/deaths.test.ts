import { describe, expect, it } from 'vitest';
import { effectOf } from '../../src/effects/effect-of.ts';
import { CARRIED } from '../../src/paths/carried.ts';
import { graphOf } from '../../src/paths/graph.ts';
import { edgePaths, type Path } from '../../src/paths/walk.ts';

const paths = CARRIED.filter(({ hasResumptions }) => hasResumptions).flatMap((configuration) =>
  edgePaths(graphOf(configuration)),
);

/** Calls that had begun when their process died, by what they are to the loop that goes on, and how they end. */
function endingsAfterDeath(): ReadonlyMap<string, ReadonlySet<string>> {
  const endings = new Map<string, Set<string>>();
  for (const path of paths) {
    const fact = path.at(-1)?.event;
    const before = path.at(-2)?.snapshot;
    if (fact?.type !== 'tool.finished' || before === undefined || !hadBegun(path, fact.callId)) continue;
    const call = before.context.calls.find(({ id }) => id === fact.callId);
    const name = `${String(call?.name)}, ${String(call?.verdict)}, ${effectOf(before)}`;
    endings.set(name, (endings.get(name) ?? new Set()).add(fact.outcome.kind));
  }
  return endings;
}

const hadBegun = (path: Path, callId: string): boolean =>
  path.some(
    ({ event, snapshot }) =>
      event.type === 'run.resumed' &&
      snapshot.context.calls.some(({ id, status }) => id === callId && status === 'started'),
  );

describe('a call that had begun when its process died', () => {
  const endings = endingsAfterDeath();

  it.each([
    [
      'only reads, so it runs again and may end in any way',
      'read, allow, executeTools',
      ['failed', 'succeeded'],
    ],
    ['only reads, and is interrupted where rules forbid it now', 'read, deny, executeTools', ['interrupted']],
    [
      'only reads, so it may have run again where calls are closed',
      'read, allow, closeCalls',
      ['interrupted', 'succeeded'],
    ],
    ['may have had its effect, so it is interrupted', 'ask, ask, executeTools', ['interrupted']],
    ['is interrupted where rules forbid it now', 'ask, deny, executeTools', ['interrupted']],
    ['is interrupted where calls are closed', 'ask, ask, closeCalls', ['interrupted']],
  ])('%s', (_, call, kinds) => {
    expect([...(endings.get(call) ?? [])].toSorted()).toEqual(kinds);
  });
});

it('rules that a run goes on under hold for later calls as well', () => {
  const broken = paths.filter((path) => {
    const forbidden = new Set<string>();
    return path.some(({ event, snapshot }) => {
      if (event.type === 'run.resumed')
        for (const { callId, verdict } of event.judgements)
          if (verdict === 'deny')
            forbidden.add(String(snapshot.context.calls.find(({ id }) => id === callId)?.name));
      return 'calls' in event && event.calls.some(({ name }) => forbidden.has(name));
    });
  });
  expect(broken).toEqual([]);
  expect(paths.some((path) => path.some(({ event }) => 'calls' in event && event.calls.length > 0))).toBe(
    true,
  );
});
