import { describe, expect, it } from 'vitest';
import { effectOf } from '../../src/effects/effect-of.ts';
import { isDistrust } from '../../src/paths/alphabet.ts';
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

/** Verdicts of calls behind a resumption that forbids their tool, and behind one that only distrusts the journal. */
const laterVerdicts = (isDistrusted: boolean): ReadonlySet<string> =>
  new Set(
    paths.flatMap((path) => {
      const at = path.findIndex(
        ({ event }) =>
          event.type === 'run.resumed' &&
          isDistrust(event) === isDistrusted &&
          event.judgements.some(({ verdict }) => verdict === 'deny'),
      );
      const resumption = path[at];
      if (resumption?.event.type !== 'run.resumed') return [];
      const { event, snapshot } = resumption;
      const denied = event.judgements.filter(({ verdict }) => verdict === 'deny').map(({ callId }) => callId);
      const names = snapshot.context.calls.filter(({ id }) => denied.includes(id)).map(({ name }) => name);
      const rest = path.slice(at + 1);
      const end = rest.findIndex((step) => step.event.type === 'run.resumed');
      return (end === -1 ? rest : rest.slice(0, end)).flatMap((step) =>
        'calls' in step.event
          ? step.event.calls.filter(({ name }) => names.includes(name)).map(({ verdict }) => verdict)
          : [],
      );
    }),
  );

describe('later calls of a tool', () => {
  it('are denied where a rule has forbidden it', () => {
    expect([...laterVerdicts(false)]).toEqual(['deny']);
  });

  it('are judged as before where only the journal is not trusted', () => {
    expect([...laterVerdicts(true)]).toContain('ask');
  });
});
