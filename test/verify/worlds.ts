/** One world for each way in which a run can end. */
import { Inbox } from '../../src/inbox.ts';
import { fakeClock, stoppedClock } from '../support/clocks.ts';
import { failure, play, replies, text, toolUse, type Played } from '../support/world.ts';
import { priced, USAGE_WORLDS, type WorldRow } from './usage-worlds.ts';

const reads = (id: string) => replies([toolUse(id)]);
const writes = (id: string) => replies([toolUse(id, 'write', { id })]);
const pauses = () => replies([text('so far')], 'pause_turn');
const answers = (words = 'Done.') => replies([text(words)]);

export function interrupted(cause: 'user' | 'signal'): Promise<Played> {
  const inbox = new Inbox();
  return play({
    inbox,
    clock: stoppedClock,
    turns: [replies([toolUse('a', 'write'), toolUse('b', 'write')])],
    box: {
      run: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ kind: 'interrupted', content: 'so far' }));
          inbox.put({ kind: 'abort', cause, by: 'test' });
        }),
    },
  });
}

function late(): Promise<Played> {
  const clock = fakeClock();
  return play({
    clock,
    header: { timeoutMs: 1_000 },
    turns: [writes('a'), () => new Promise<never>(() => undefined)],
  });
}

function interjected(): Promise<Played> {
  const inbox = new Inbox();
  const says = (words: string) => async () => {
    inbox.put({ kind: 'interjection', text: 'and the median?' });
    await new Promise((resolve) => setImmediate(resolve));
    return answers(words);
  };
  return play({ ...priced, inbox, limits: { maxTurns: 2 }, turns: [says('3'), says('2')] });
}

export const WORLDS: readonly WorldRow[] = [
  ...USAGE_WORLDS,
  ['answers', 'end_turn', () => play({ ...priced, turns: [reads('a'), answers()] })],
  ['hears words, and others too late', 'end_turn', interjected],
  [
    'retries',
    'end_turn',
    () => play({ ...priced, turns: [failure(), failure({ billing: 'unknown' }), answers()] }),
  ],
  [
    'asks again for truncated calls that have one id',
    'end_turn',
    () => play({ turns: [replies([toolUse('a'), toolUse('a')], 'max_tokens'), answers()] }),
  ],
  ['pauses behind text', 'end_turn', () => play({ turns: [pauses(), answers()] })],
  [
    'pauses at the turn limit',
    'end_turn',
    () => play({ turns: [pauses(), pauses(), answers()], limits: { maxTurns: 1 } }),
  ],
  [
    'pauses in the summary',
    'max_turns',
    () => play({ turns: [reads('a'), pauses(), answers()], limits: { maxTurns: 2 } }),
  ],
  ['answers nothing', 'end_turn', () => play({ turns: [replies([text('so'), toolUse('a')]), replies([])] })],
  [
    'crosses its budget with the answer',
    'end_turn',
    () =>
      play({
        turns: [replies([text('X')], 'end_turn', { input_tokens: 90_000, output_tokens: 9 })],
        limits: { budget: { nanoUsd: null, tokens: 50_000 } },
      }),
  ],
  [
    'sums up',
    'max_turns',
    () => play({ turns: [reads('a'), reads('b'), answers()], limits: { maxTurns: 3 } }),
  ],
  [
    'calls a tool in the summary',
    'max_turns',
    () => play({ turns: [reads('a'), replies([text('part'), toolUse('x')])], limits: { maxTurns: 2 } }),
  ],
  [
    'is given more turns',
    'max_turns',
    () => {
      const more = [1, 0];
      return play({
        turns: ['a', 'b'].map(reads).concat(answers()),
        limits: { maxTurns: 2 },
        header: { onLimit: 'ask' },
        approver: { decide: async () => ({ decision: 'wait' }), raiseLimit: async () => more.shift() ?? 0 },
      });
    },
  ],
  ['sends nothing', 'budget', () => play({ turns: [], limits: { budget: { nanoUsd: null, tokens: 100 } } })],
  [
    'closes calls over the budget',
    'budget',
    () =>
      play({
        turns: [replies([toolUse('a')], 'tool_use', { input_tokens: 90_000, output_tokens: 1 })],
        limits: { budget: { nanoUsd: null, tokens: 50_000 } },
      }),
  ],
  [
    'sums up before the budget is used up',
    'budget',
    () =>
      play({
        turns: Array.from({ length: 20 }, (_, n) =>
          replies([toolUse(`c${n}`)], 'tool_use', { input_tokens: 20_000, output_tokens: 100 }),
        ),
        limits: { budget: { nanoUsd: null, tokens: 300_000 }, maxTurns: 30 },
      }),
  ],
  ['runs out of time', 'deadline', late],
  [
    'fails again and again',
    'stuck',
    () =>
      play({
        turns: [reads('a'), reads('b'), reads('c'), answers()],
        box: { run: async () => ({ kind: 'failed', content: '' }) },
      }),
  ],
  [
    'is cut off',
    'max_tokens',
    () => play({ turns: [1, 2, 3].map((n) => replies([toolUse(`t${n}`)], 'max_tokens')) }),
  ],
  [
    'is refused',
    'refusal',
    () => play({ turns: [reads('a'), replies([text('I was'), toolUse('b')], 'refusal')] }),
  ],
  [
    'overflows',
    'context_window',
    () => play({ turns: [replies([text('x')], 'model_context_window_exceeded')] }),
  ],
  [
    'is too long',
    'context_window',
    () => play({ turns: [reads('a'), failure({ isRetryable: false, reason: 'context_window' })] }),
  ],
  ['fails for good', 'model_failed', () => play({ turns: [1, 2, 3, 4, 5].map(() => failure()) })],
  ['has two calls of one id', 'model_failed', () => play({ turns: [replies([toolUse('a'), toolUse('a')])] })],
  ['is stopped while tools run', 'aborted', () => interrupted('user')],
  [
    'is quit at the prompt, half a character in a reason before',
    'aborted',
    () => {
      const decisions = [
        { decision: 'deny', by: 'person', reason: 'no\ud800' },
        { decision: 'quit', by: 'person' },
      ] as const;
      let next = 0;
      return play({
        turns: [writes('a'), writes('b')],
        box: { asks: ['write'] },
        approver: { decide: async () => decisions[next++] ?? { decision: 'wait' } },
      });
    },
  ],
  [
    'waits for a decision',
    'waiting',
    () =>
      play({
        turns: [replies([toolUse('r'), toolUse('a', 'write')])],
        box: { asks: ['write'] },
        approver: { decide: async () => ({ decision: 'wait' }) },
      }),
  ],
  [
    'waits for the second of two decisions',
    'waiting',
    () => {
      const decisions = [{ decision: 'approve', by: 'person' }] as const;
      let next = 0;
      return play({
        turns: [replies([toolUse('a', 'write'), toolUse('b', 'write')])],
        box: { asks: ['write'] },
        approver: { decide: async () => decisions[next++] ?? { decision: 'wait' } },
      });
    },
  ],
  [
    'is denied a tool by a rule',
    'end_turn',
    () =>
      play({
        turns: [replies([toolUse('a'), toolUse('b', 'write')]), answers()],
        box: { denies: ['write'] },
        header: { rules: [{ tool: 'write', verdict: 'deny' }] },
      }),
  ],
  [
    'runs an edited input',
    'end_turn',
    () =>
      play({
        turns: [writes('a'), answers()],
        box: { asks: ['write'] },
        approver: { decide: async () => ({ decision: 'approve', by: 'person', edited: { safe: true } }) },
      }),
  ],
];
