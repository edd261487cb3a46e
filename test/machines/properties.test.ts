import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getMicrosteps } from 'xstate';
import { agentLoop, type CallHead, type LoopEvent, type LoopInput } from '../../machines/index.ts';
import { newReach, sizeOf } from '../properties/reach.ts';
import { runs } from '../properties/runs.ts';
import { anyRun, obliging, type Chooser } from './arbitraries.ts';
import { begin, stateOf, take, type Snapshot } from './support.ts';

interface Taken {
  readonly before: Snapshot;
  readonly fact: LoopEvent;
  readonly after: Snapshot;
}

/** Plays what the choosers pick, for as long as the run is active. */
function playRandomly(input: LoopInput, choosers: readonly Chooser[]): readonly Taken[] {
  const taken: Taken[] = [];
  let before = begin(input);
  for (const choose of choosers) {
    const fact = before.status === 'active' ? choose(before) : undefined;
    if (fact === undefined) continue;
    const after = take(before, fact);
    taken.push({ before, fact, after });
    before = after;
  }
  return taken;
}

/** Far more than the longest way to an end. */
const TO_THE_END = Array.from({ length: 100 }, () => obliging);

const always = (check: (taken: readonly Taken[], input: LoopInput) => void): void => {
  const reach = newReach();
  fc.assert(
    fc.property(anyRun, ({ input, choosers }) => {
      const taken = playRandomly(input, [...choosers, ...TO_THE_END]);
      reach.note(...sizeOf(taken.map(({ fact }) => fact)));
      check(taken, input);
    }),
    runs(100),
  );
  reach.expectFar();
};

const isRequest = (snapshot: Snapshot): boolean =>
  stateOf(snapshot) === 'callingModel' || stateOf(snapshot) === 'finalSummary';

const numbersIn = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
};

/** The calls of a response that counts as a turn. */
const newCalls = ({ before, fact, after }: Taken): readonly CallHead[] =>
  'calls' in fact && after.context.turn > before.context.turn ? fact.calls : [];

describe('whatever happens', { timeout: 3_600_000 }, () => {
  it('a run ends when it is obliged', () => {
    always((taken, input) => {
      expect((taken.at(-1)?.after ?? begin(input)).status).toBe('done');
    });
  });

  it('the context stays JSON, and every number in it a whole one from 0', () => {
    always((taken) => {
      for (const { after } of taken) {
        expect(JSON.parse(JSON.stringify(after.context))).toStrictEqual(after.context);
        expect(numbersIn(after.context).every((one) => Number.isSafeInteger(one) && one >= 0)).toBe(true);
      }
    });
  });

  it('no more turns are counted than the limit, with what a person has added, allows', () => {
    always((taken, { limits }) => {
      let allowed = limits.maxTurns;
      for (const { fact, after } of taken) {
        if (fact.type === 'limit.raised') allowed += fact.turns;
        expect(after.context.turn).toBeLessThanOrEqual(allowed);
      }
    });
  });

  it('no more turns are asked than the limit allows: retries, growths and continuations are the same turn', () => {
    const sameTurn = new Set(['retry.due', 'model.truncated', 'model.paused', 'user.interjected']);
    always((taken, { limits }) => {
      const asked = taken.filter(({ fact, after }) => isRequest(after) && !sameTurn.has(fact.type)).length;
      const added = taken.map(({ fact }) => (fact.type === 'limit.raised' ? fact.turns : 0));
      expect(1 + asked).toBeLessThanOrEqual(added.reduce((sum, turns) => sum + turns, limits.maxTurns));
    });
  });

  it('the spend is the sum of what was billed', () => {
    always((taken) => {
      const sum = { nanoUsd: 0, tokens: 0 };
      for (const { fact, after } of taken) {
        if ('cost' in fact) {
          sum.nanoUsd += fact.cost.nanoUsd;
          sum.tokens += fact.cost.tokens;
        }
        expect(after.context.spent).toEqual(sum);
      }
    });
  });

  it('a request goes out only when its bound fits the budget', () => {
    always((taken) => {
      for (const { before, after } of taken) {
        if (!isRequest(after) || isRequest(before)) continue;
        const { spent, nextCost, summaryCost, limits } = after.context;
        const bound = stateOf(after) === 'callingModel' ? nextCost : summaryCost;
        expect(spent.nanoUsd + bound.nanoUsd).toBeLessThanOrEqual(limits.budget.nanoUsd ?? Infinity);
        expect(spent.tokens + bound.tokens).toBeLessThanOrEqual(limits.budget.tokens ?? Infinity);
      }
    });
  });

  it('a call starts at most once, an asked one only after its approval, a refused or denied one never', () => {
    always((taken) => {
      const mayStart = new Set<string>();
      const asked = new Map<string, string>();
      for (const step of taken) {
        const { fact } = step;
        for (const { id, verdict, inputHash } of newCalls(step)) {
          if (verdict === 'allow') mayStart.add(id);
          if (verdict === 'ask') asked.set(id, inputHash);
        }
        if (fact.type === 'approval.decided') {
          expect(asked.get(fact.callId)).toBe(fact.inputHash);
          if (fact.decision === 'approve') mayStart.add(fact.callId);
          asked.delete(fact.callId);
        }
        if (fact.type === 'tool.started') expect(mayStart.delete(fact.callId)).toBe(true);
        if (isRequest(step.after)) mayStart.clear();
      }
    });
  });

  it('every call has exactly one result, in the order of the calls, before the next request or the end', () => {
    always((taken) => {
      let open: readonly string[] = [];
      for (const step of taken) {
        open = [...open, ...newCalls(step).map(({ id }) => id)];
        if (step.fact.type === 'tool.finished') {
          expect(open[0]).toBe(step.fact.callId);
          open = open.slice(1);
        }
        if (isRequest(step.after) || step.after.status === 'done') expect(open).toEqual([]);
      }
    });
  });

  it('an abort is the end: no request and no start come after it, and what had not started does not run', () => {
    always((taken) => {
      const at = taken.findIndex(({ fact }) => fact.type === 'run.aborted');
      const begun = taken.flatMap(({ fact }) => (fact.type === 'tool.started' ? [fact.callId] : []));
      for (const { fact, after } of at < 0 ? [] : taken.slice(at)) {
        expect(isRequest(after)).toBe(false);
        expect(fact.type).not.toBe('tool.started');
        if (fact.type !== 'tool.finished' || begun.includes(fact.callId)) continue;
        expect(fact.outcome.kind).toBe('not_run');
      }
    });
  });

  it('microsteps end where the transition ends, and lead to a request only through its checks', () => {
    always((taken) => {
      for (const { before, fact, after } of taken) {
        const path = getMicrosteps(agentLoop, before, fact).map(([snapshot]) => snapshot);
        expect(path.at(-1)?.value).toEqual(after.value);
        expect(path.at(-1)?.context).toEqual(after.context);
        const names = path.map(stateOf);
        if (!isRequest(after) || fact.type === 'user.interjected') continue;
        expect(names.at(-2)).toBe(stateOf(after) === 'callingModel' ? 'checkingTurns' : 'wrappingUp');
      }
    });
  });
});
