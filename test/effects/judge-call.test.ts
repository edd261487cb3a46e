import { describe, expect, it } from 'vitest';
import type { RunView } from '../../src/effects/effect.ts';
import { judgeCall, reviewResumption, type JudgePorts } from '../../src/effects/judge-call.ts';
import type { FactOf, Judgement, ToolCall } from '../../src/ports.ts';
import { instructive } from '../../src/tools/texts.ts';

const { signal } = new AbortController();

type Verdict = Judgement['verdict'];
type Program = JudgePorts['beforeTool'];

/** Rules that say `verdict` of every call, and a program. */
const portsOf = (verdict: Verdict, beforeTool: Program): JudgePorts => ({
  toolbox: {
    definitions: [],
    judge: () => ({ verdict, effects: 'some', refusal: verdict === 'deny' ? 'by a rule' : null }),
    run: () => Promise.reject(new Error('is not run')),
  },
  texts: instructive,
  ...(beforeTool && { beforeTool }),
});

const says =
  (verdict: Verdict): Program =>
  (_call, judgement) =>
    Promise.resolve({ ...judgement, verdict, refusal: null, rule: 'beforeTool' });

const aCall = { id: 'a', name: 'note', input: { text: 'x' } };

describe('a call', () => {
  it.each<[Verdict, string | undefined, boolean]>([
    ['allow', undefined, true],
    ['ask', undefined, true],
    ['deny', undefined, false],
    ['invalid', undefined, false],
    ['allow', '{"text":', true],
  ])(
    'of which the rules say %s, malformed: %s: the program is asked: %s',
    async (verdict, malformed, isAsked) => {
      let asked = 0;
      const program: Program = (_call, judgement) => {
        asked += 1;
        return Promise.resolve(judgement);
      };
      await judgeCall(aCall, malformed, portsOf(verdict, program), signal);
      expect(asked).toBe(isAsked ? 1 : 0);
    },
  );

  it('is shown to the program as a copy, with what the rules said', async () => {
    const call = { ...aCall, input: { text: 'x' } };
    const judgement = await judgeCall(
      call,
      undefined,
      portsOf('ask', (shown, byRules) => {
        expect(shown).toEqual({ ...call, effects: 'some', verdict: 'ask', rule: null });
        Object.assign(shown.input as object, { text: 'y' });
        return Promise.resolve(byRules);
      }),
      signal,
    );
    expect(call.input).toEqual({ text: 'x' });
    expect(judgement).toEqual({ verdict: 'ask', effects: 'some', refusal: null });
  });

  it('is denied where the program fails', async () => {
    const ports = portsOf('allow', () => Promise.reject(new Error('no list of names')));
    expect(await judgeCall(aCall, undefined, ports, signal)).toEqual({
      verdict: 'deny',
      effects: 'some',
      refusal: expect.stringContaining('no list of names'),
      rule: 'beforeTool',
    });
  });
});

type Anew = FactOf<'run.resumed'>['judgements'][number];

interface Row {
  readonly name: string;
  readonly was: Verdict;
  readonly status?: 'open' | 'started';
  readonly decision?: 'approve' | 'deny';
  readonly edited?: unknown;
  /** What rules said anew of the call. */
  readonly rules?: Partial<Anew>;
  readonly program: Verdict;
  /** The judgement in the fact; null: none. */
  readonly now: Partial<Anew> | null;
  readonly asked?: unknown;
}

const ROWS: readonly Row[] = [
  { name: 'was asked for, and still is', was: 'ask', program: 'ask', now: null },
  {
    name: 'was asked for, and is denied now',
    was: 'ask',
    program: 'deny',
    now: { verdict: 'deny', rule: 'beforeTool', isDecisionKept: true },
  },
  {
    name: 'is denied by a rule now, and allowed by the program',
    was: 'ask',
    rules: { verdict: 'deny', isDecisionKept: false },
    program: 'allow',
    now: { verdict: 'allow', isDecisionKept: false },
  },
  {
    name: 'is judged anew to the same, and a decision falls',
    was: 'ask',
    rules: { verdict: 'deny', isDecisionKept: false },
    program: 'ask',
    now: { verdict: 'ask', isDecisionKept: false },
  },
  {
    name: 'is judged anew by a rule, and the program says what was said before',
    was: 'allow',
    rules: { verdict: 'ask' },
    program: 'allow',
    now: null,
  },
  { name: 'has begun', was: 'allow', status: 'started', program: 'deny', now: null },
  { name: 'could never run', was: 'invalid', program: 'allow', now: null },
  { name: 'was approved, and the program asks', was: 'ask', decision: 'approve', program: 'ask', now: null },
  {
    name: 'was approved, and the program allows',
    was: 'ask',
    decision: 'approve',
    program: 'allow',
    now: null,
  },
  {
    name: 'was approved, and a rule says so anew',
    was: 'allow',
    decision: 'approve',
    rules: { verdict: 'ask' },
    program: 'allow',
    now: { verdict: 'ask', rule: null, isDecisionKept: true },
  },
  {
    name: 'was approved, and the program forbids it',
    was: 'ask',
    decision: 'approve',
    program: 'deny',
    now: { verdict: 'deny', isDecisionKept: true },
  },
  {
    name: 'was approved, and that is void',
    was: 'ask',
    decision: 'approve',
    edited: { text: 'y' },
    rules: { verdict: 'ask', isDecisionKept: false },
    program: 'allow',
    now: { verdict: 'allow', isDecisionKept: false },
    asked: { text: 'x' },
  },
  {
    name: 'was approved with an edited input',
    was: 'ask',
    decision: 'approve',
    edited: { text: 'y' },
    program: 'deny',
    now: { verdict: 'deny' },
    asked: { text: 'y' },
  },
  {
    name: 'was approved as it is',
    was: 'ask',
    decision: 'approve',
    program: 'deny',
    now: { verdict: 'deny' },
    asked: { text: 'x' },
  },
];

describe('of a run that goes on, a call', () => {
  it.each(ROWS)('that $name', async ({ rules, program, now, asked, ...row }) => {
    const inputs: unknown[] = [];
    const ports = portsOf('ask', (call, judgement) => {
      inputs.push(call.input);
      return says(program)?.(call, judgement, signal) ?? Promise.resolve(judgement);
    });
    const { judgements } = await reviewResumption(resumed(rules), viewOf(row), ports, signal);
    expect(judgements).toEqual(now === null ? [] : [expect.objectContaining({ callId: 'a', ...now })]);
    if (asked !== undefined) expect(inputs).toEqual([asked]);
  });

  it('is judged by rules alone where there is no program', async () => {
    const fact = resumed({ verdict: 'deny' });
    expect(await reviewResumption(fact, viewOf({ was: 'ask' }), portsOf('ask', undefined), signal)).toBe(
      fact,
    );
  });
});

/** Of a fact and a view, what is read of them. */
const resumed = (rules?: Partial<Anew>): FactOf<'run.resumed'> =>
  ({
    type: 'run.resumed',
    judgements:
      rules === undefined
        ? []
        : [{ callId: 'a', verdict: 'ask', refusal: null, rule: null, isDecisionKept: true, ...rules }],
  }) as unknown as FactOf<'run.resumed'>;

function viewOf({
  was,
  status = 'open',
  decision,
  edited,
}: Pick<Row, 'was' | 'status' | 'decision' | 'edited'>): RunView {
  const judgement: Judgement = { verdict: was, effects: 'some', refusal: null };
  const call = { ...aCall, ...judgement } as unknown as ToolCall;
  const decided = {
    type: 'approval.decided',
    callId: 'a',
    decision,
    edited: edited === undefined ? null : { input: edited },
  };
  return {
    facts: [{ type: 'model.called_tools', calls: [call] }, ...(decision === undefined ? [] : [decided])],
    context: { calls: [{ id: 'a', status, decision: decision ?? null }] },
  } as unknown as RunView;
}
