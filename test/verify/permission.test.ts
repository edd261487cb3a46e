import { describe, expect, it } from 'vitest';
import { parseJournal } from '../../src/verify/lines.ts';
import { permissionViolations } from '../../src/verify/permission.ts';
import { again } from '../resume/again.ts';
import { play, replies, text, toolUse } from '../support/world.ts';
import { both, clean, drop, plain, set, type Damage, type Lines } from './recorded.ts';

const found = (lines: Lines): readonly string[] =>
  permissionViolations(parseJournal(lines)).map(({ line, message }) => `${line}: ${message}`);

const denies = (match?: Readonly<Record<string, unknown>>): Damage =>
  set(1, 'rules', [
    { tool: 'write', verdict: 'deny', ...(match && { match: { argument: 'to', ...match } }) },
  ]);
/** The call c, of line 7, with another input. */
const given = (input: unknown): Damage => set(7, 'calls.0.input', input);

const C = '7: A rule denies write, but the verdict on the call c is ask.';
const D = '10: A rule denies write, but the verdict on the call d is ask.';
const STARTED = '12: The call d starts, but a rule denies write.';

describe('a rule that denies', () => {
  it.each<{ what: string; damage: Damage; says: readonly string[] }>([
    { what: 'any input', damage: denies(), says: [C, D, STARTED] },
    { what: 'a text that is in it', damage: denies({ contains: 'x' }), says: [C] },
    { what: 'a text that is not in it', damage: denies({ contains: 'z' }), says: [] },
    { what: 'as many characters', damage: both(denies({ atLeast: 2 }), given({ to: 'xx' })), says: [C] },
    { what: 'more characters', damage: both(denies({ atLeast: 3 }), given({ to: 'xx' })), says: [] },
    {
      what: 'at most as many characters',
      damage: both(denies({ atMost: 2 }), given({ to: 'xxx' })),
      says: [D, STARTED],
    },
    {
      what: 'at most one, and it has one',
      damage: both(denies({ atMost: 1 }), given({ to: 'xx' })),
      says: [D, STARTED],
    },
    // A glob depends on the workspace of then.
    { what: 'a glob', damage: denies({ glob: '**' }), says: [] },
    {
      what: 'a text, where the argument is none',
      damage: both(denies({ contains: '' }), given({ to: 1 })),
      says: [D, STARTED],
    },
    {
      what: 'a text, where there is no such argument',
      damage: both(denies({ contains: '' }), given({})),
      says: [D, STARTED],
    },
    {
      what: 'a text, where there is no input',
      damage: both(denies({ contains: '' }), given(null)),
      says: [D, STARTED],
    },
    {
      what: 'a text, where the input is a text',
      damage: both(denies({ contains: '' }), given('x')),
      says: [D, STARTED],
    },
  ])('is held against: $what', ({ damage, says }) => {
    expect(found(damage(clean()))).toEqual(says);
  });

  it('is known by the words of the verdict', () => {
    const ruled =
      (rule: string): Damage =>
      (lines) =>
        set(7, 'calls', [{ ...(Reflect.get(lines[6] as object, 'calls') as object[])[0], rule }])(lines);
    expect(found(ruled('deny write')(clean()))).toEqual([C]);
    expect(found(ruled('ask write')(clean()))).toEqual([]);
  });

  it('is not looked for without a header', () => {
    expect(found(drop(1)(clean()))).toEqual([]);
  });
});

describe('a tool that there is not', () => {
  /** As a fork has it: its first lines are of another run, with other tools. */
  const forked =
    (lines: number): Damage =>
    ([header, ...rest]) => [{ ...(header as object), forkOf: { runId: 'other', lines } }, ...rest];
  const renamed = set(1, 'tools.0.name', 'other');
  const started = (line: number, id: string) => `${line}: The call ${id} starts, but there is no tool read.`;
  const verdicts = ['a', 'b'].map(
    (id) => `2: There is no tool read, but the verdict on the call ${id} is allow.`,
  );

  it.each([
    { what: 'named everywhere', damage: renamed, says: [...verdicts, started(3, 'a'), started(4, 'b')] },
    { what: 'not named in what a fork has from its origin', damage: both(renamed, forked(4)), says: [] },
    { what: 'named behind that', damage: both(renamed, forked(3)), says: [started(4, 'b')] },
    {
      what: 'named from its first line',
      damage: both(renamed, forked(1)),
      says: [...verdicts, started(3, 'a'), started(4, 'b')],
    },
  ])('is $what', ({ damage, says }) => {
    expect(found(damage(clean()))).toEqual(says);
  });
});

const waiting = await play({
  turns: [replies([toolUse('r'), toolUse('a', 'write')])],
  box: { asks: ['write'] },
  approver: { decide: async () => ({ decision: 'wait' }) },
});
/** 4 resumes the run and judges its calls anew, 5 is the approval of `a`, 6 to 9 the calls: 8 starts `a`. */
const { lines: resumed } = await again(waiting.lines, {
  turns: [replies([text('Done.')])],
  box: { asks: ['write'] },
});
/** The call was approved before the process died. */
const { lines: approved } = await again(clean().slice(0, 11) as typeof waiting.lines, {
  turns: [replies([text('Done.')])],
  box: { asks: ['write'] },
});

describe('a call that is judged anew', () => {
  const judged = (change: Readonly<Record<string, unknown>>, line = 4): Damage =>
    set(line, 'judgements', [{ callId: 'a', verdict: 'ask', isDecisionKept: true, ...change }]);
  it.each<{ what: string; damage: Damage; says: readonly string[] }>([
    { what: 'holds', damage: judged({}), says: [] },
    {
      what: 'is denied by now, and is decided and starts',
      damage: judged({ verdict: 'deny' }),
      says: [
        '5: The call a is decided, but its verdict is deny.',
        '8: The call a starts, but its verdict is deny.',
      ],
    },
    {
      what: 'is denied by a rule',
      damage: judged({ rule: 'deny write' }),
      says: ['8: The call a starts, but a rule denies write.'],
    },
    {
      what: 'needs nobody any more',
      damage: both(judged({ verdict: 'allow' }), drop(5)),
      says: [],
    },
    { what: 'needs somebody', damage: drop(5), says: ['7: The call a starts, but nobody has approved it.'] },
    {
      what: 'is another one',
      damage: judged({ callId: 'zz', verdict: 'deny' }),
      says: [],
    },
  ])('$what', ({ damage, says }) => {
    expect(found(damage(plain(resumed)))).toEqual(says);
  });

  it('keeps its approval, or needs another one', () => {
    const line = approved.findIndex(({ type }) => type === 'run.resumed') + 1;
    expect(line).toBe(12);
    expect(found(judged({ callId: 'd' }, line)(plain(approved)))).toEqual([]);
    expect(found(judged({ callId: 'd', isDecisionKept: false }, line)(plain(approved)))).toEqual([
      expect.stringMatching(/^\d+: The call d starts, but nobody has approved it\.$/),
    ]);
  });
});
