import { describe, expect, it } from 'vitest';
import { askApproval, decisionFact } from '../../src/effects/ask-approval.ts';
import { openCallsOf } from '../../src/effects/calls.ts';
import type { RunView } from '../../src/effects/effect.ts';
import type { Decision, Ports, ToolCall } from '../../src/ports.ts';
import { instructive } from '../../src/tools/texts.ts';

const { signal } = new AbortController();

/** Of a call, what is read of it. */
const callOf = (id: string, changes: Partial<ToolCall> = {}): ToolCall =>
  ({
    id,
    name: 'note',
    input: { text: id },
    inputHash: `hash of ${id}`,
    verdict: 'ask',
    effects: 'some',
    refusal: null,
    ...changes,
  }) as unknown as ToolCall;

const decided = (callId: string) => ({ type: 'approval.decided', callId, decision: 'approve', edited: null });
const resumed = (...judgements: readonly object[]) => ({ type: 'run.resumed', judgements });

const viewOf = (calls: readonly ToolCall[], more: readonly object[], status = 'open'): RunView =>
  ({
    facts: [{ type: 'model.called_tools', calls }, ...more],
    context: { calls: calls.map(({ id }) => ({ id, status, decision: null })) },
  }) as unknown as RunView;

describe('an open call', () => {
  const anew = { callId: 'a', verdict: 'deny', refusal: 'no more', rule: 'deny note' };
  it.each([
    { what: 'is as it was made', more: [], is: { verdict: 'ask', refusal: null }, isDecided: false },
    { what: 'has its decision', more: [decided('a')], is: { verdict: 'ask' }, isDecided: true },
    { what: 'has no decision of another', more: [decided('b')], is: {}, isDecided: false },
    {
      what: 'is as it was judged last',
      more: [resumed({ ...anew, verdict: 'allow' }), resumed({ ...anew, isDecisionKept: true })],
      is: { verdict: 'deny', refusal: 'no more', rule: 'deny note' },
      isDecided: false,
    },
    {
      what: 'keeps its decision',
      more: [decided('a'), resumed({ ...anew, isDecisionKept: true })],
      is: { verdict: 'deny' },
      isDecided: true,
    },
    {
      what: 'loses its decision',
      more: [decided('a'), resumed({ ...anew, isDecisionKept: false })],
      is: { verdict: 'deny' },
      isDecided: false,
    },
    {
      what: 'is not judged by what is said of one that nobody made',
      more: [resumed({ ...anew, callId: 'c', isDecisionKept: true })],
      is: { verdict: 'ask' },
      isDecided: false,
    },
  ])('$what', ({ more, is, isDecided }) => {
    const [open, ...others] = openCallsOf(viewOf([callOf('a')], more));
    expect(others).toEqual([]);
    expect(open?.call).toMatchObject({ id: 'a', ...is });
    expect(open?.decided ?? null).toEqual(isDecided ? decided('a') : null);
  });

  it.each(['succeeded', 'unsuccessful'])('is none when it has %s', (status) => {
    expect(openCallsOf(viewOf([callOf('a')], [], status))).toEqual([]);
  });
});

/** Ports of a host that approves all, and a tool that tells what it would do. */
function portsOf(answer: Partial<Decision>, shown: unknown[] = []): Ports {
  return {
    approver: {
      decide: async (call: ToolCall, _signal: AbortSignal, preview: (input: unknown) => Promise<unknown>) => {
        shown.push(await preview(call.input));
        return answer;
      },
    },
    toolbox: { definitions: [], preview: (call: unknown) => Promise.resolve(call) },
    texts: instructive,
  } as unknown as Ports;
}

describe('asking', () => {
  it('asks for what is to be asked and not decided yet, shows what it would do, and takes the rule along', async () => {
    const calls = [callOf('a'), callOf('b'), callOf('c', { verdict: 'allow' })];
    const shown: unknown[] = [];
    const ports = portsOf({ decision: 'approve', by: 'me', rule: 'allow note \uD800' }, shown);
    const facts: unknown[] = [];
    for await (const fact of askApproval(viewOf(calls, [decided('a')]), ports, signal)) facts.push(fact);
    expect(shown).toEqual([{ id: 'b', name: 'note', input: { text: 'b' } }]);
    expect(facts).toEqual([
      {
        type: 'approval.decided',
        callId: 'b',
        inputHash: 'hash of b',
        by: 'me',
        decision: 'approve',
        reason: null,
        edited: null,
        rule: 'allow note \uFFFD',
      },
    ]);
  });

  it('names no rule where there was none', async () => {
    const fact = await decisionFact(callOf('a'), { decision: 'approve', by: 'me' }, portsOf({}), signal);
    expect(fact).not.toHaveProperty('rule');
  });
});
