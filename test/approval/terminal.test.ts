import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/ports.ts';
import { callOf, fakeTerminal, never, QUESTION_END } from './terminal-double.ts';

const code = callOf({ code: 'print(1)' });
const approved: Decision = { decision: 'approve', by: 'person' };
const denied = (reason: string | null): Decision => ({ decision: 'deny', by: 'person', reason });

describe('the answer', () => {
  it.each<readonly [keys: string, decision: Decision]>([
    ['y\n', approved],
    ['Y\n', approved],
    ['yes\n', approved],
    [' y \r\n', approved],
    ['yy\n', approved],
    ['a\n', { ...approved, rule: 'allow run_python' }],
    ['always\n', { ...approved, rule: 'allow run_python' }],
    ['n\n', denied(null)],
    ['no\n', denied(null)],
    ['n   \n', denied(null)],
    ['n use read_file\n', denied('use read_file')],
    ['No, too slow\n', denied('too slow')],
    ['n 平均は不要 \u{1F642}\n', denied('平均は不要 \u{1F642}')],
    ['n \u001B[Dx\u202E\n', denied(String.raw`\u{1b}[Dx\u{202e}`)],
    ['q\n', { decision: 'quit', by: 'person' }],
    ['quit\n', { decision: 'quit', by: 'person' }],
  ])('%j is %j', async (keys, decision) => {
    const terminal = fakeTerminal();
    const decided = terminal.approver.decide(code, never);
    await terminal.answer(keys);
    expect(await decided).toEqual(decision);
  });

  it.each(['', 'yikes', 'ya', 'nope', 'yes please', 'x', 'approve', '\u001B[A', 'ｙ'])(
    '"%s" is none: it is asked again, with what is allowed',
    async (keys) => {
      const terminal = fakeTerminal();
      const decided = terminal.approver.decide(code, never);
      await terminal.answer(`${keys}\n`);
      await terminal.until('is no answer. Type y, n, e, a or q, then Enter.\n');
      await terminal.answer('n\n');
      expect(await decided).toEqual(denied(null));
      expect(terminal.shown()).not.toContain('\u001B');
    },
  );

  it('may come in pieces that split a character', async () => {
    const terminal = fakeTerminal();
    const decided = terminal.approver.decide(code, never);
    await terminal.until(QUESTION_END);
    for (const byte of Buffer.from('n né\n')) terminal.keyboard.write(Buffer.of(byte));
    expect(await decided).toEqual(denied('né'));
  });
});

describe('nobody answers', () => {
  it('the end of the input waits', async () => {
    const terminal = fakeTerminal();
    const decided = terminal.approver.decide(code, never);
    await terminal.until(QUESTION_END);
    terminal.keyboard.end();
    expect(await decided).toEqual({ decision: 'wait' });
    expect(await terminal.approver.decide(code, never)).toEqual({ decision: 'wait' });
  });

  it('a letter without Enter before the end of the input waits, too', async () => {
    const terminal = fakeTerminal();
    const decided = terminal.approver.decide(code, never);
    await terminal.until(QUESTION_END);
    terminal.keyboard.end('y');
    expect(await decided).toEqual({ decision: 'wait' });
  });

  it.each([
    [
      'an input that breaks',
      (terminal: ReturnType<typeof fakeTerminal>) => terminal.keyboard.destroy(new Error('EIO')),
    ],
    ['an input that closes', (terminal: ReturnType<typeof fakeTerminal>) => terminal.keyboard.destroy()],
  ])('%s waits', async (_, happen) => {
    const terminal = fakeTerminal();
    const decided = terminal.approver.decide(code, never);
    await terminal.until(QUESTION_END);
    happen(terminal);
    expect(await decided).toEqual({ decision: 'wait' });
  });

  it('a signal while the question is open waits, and the next line starts afresh', async () => {
    const terminal = fakeTerminal();
    const stop = new AbortController();
    const decided = terminal.approver.decide(code, stop.signal);
    await terminal.until(QUESTION_END);
    stop.abort();
    expect(await decided).toEqual({ decision: 'wait' });
    terminal.screen.line('stopped');
    await terminal.until(`\nstopped\n`);
    expect(terminal.keyboard.listenerCount('data')).toBe(0);
  });

  it('a signal before the question waits without one', async () => {
    const terminal = fakeTerminal();
    expect(await terminal.approver.decide(code, AbortSignal.abort())).toEqual({ decision: 'wait' });
    expect(terminal.shown()).not.toContain(QUESTION_END);
  });

  it('a screen that nobody can see waits, whatever is typed', async () => {
    const terminal = fakeTerminal();
    terminal.output.destroy();
    const decided = terminal.approver.decide(code, never);
    terminal.keyboard.write('y\n');
    expect(await decided).toEqual({ decision: 'wait' });
  });
});

describe('type-ahead and order', () => {
  it('what was typed before the question answers nothing', async () => {
    const terminal = fakeTerminal();
    terminal.keyboard.write('y\ny\n');
    const decided = terminal.approver.decide(code, never);
    terminal.keyboard.write('y\n');
    await terminal.answer('n\n');
    expect(await decided).toEqual(denied(null));
  });

  it('an unfinished line of before is let in and thrown away: line editing is off for that moment only', async () => {
    const terminal = fakeTerminal();
    const decided = terminal.approver.decide(code, never);
    await terminal.until(QUESTION_END);
    expect(terminal.keyboard.rawModes).toEqual([true, false]);
    terminal.keyboard.write('q\n');
    await decided;
  });

  it.each(['yy\n', 'y\ny\n', 'y\ny\ny\ny\n', 'y\r\ny'])(
    'E11: %j at the first prompt answers that one; the second call is asked afresh',
    async (keys) => {
      const terminal = fakeTerminal();
      const first = terminal.approver.decide(callOf({ code: 'one()' }, 'run_python', 'toolu_1'), never);
      const second = terminal.approver.decide(callOf({ code: 'two()' }, 'run_python', 'toolu_2'), never);
      await terminal.until('(toolu_1)');
      await terminal.answer(keys);
      expect(await first).toEqual(approved);
      await terminal.until('(toolu_2)');
      await terminal.answer('n\n');
      expect(await second).toEqual(denied(null));
    },
  );

  it('E21: the code is flushed before the question, and the question before anything typed counts', async () => {
    const terminal = fakeTerminal();
    terminal.output.pause();
    // More than the stream takes at once: the write of the code stays pending while nobody reads.
    const decided = terminal.approver.decide(callOf({ code: 'x = 1\n'.repeat(20_000) }), never);
    await new Promise(setImmediate);
    terminal.keyboard.write('y\n');
    await new Promise(setImmediate);
    expect(terminal.shown()).not.toContain(QUESTION_END);
    terminal.output.resume();
    await terminal.answer('n\n');
    expect(await decided).toEqual(denied(null));
    expect(terminal.shown().indexOf('x = 1')).toBeLessThan(terminal.shown().indexOf(QUESTION_END));
  });

  it('E22: three calls at once are asked one after the other, and never by two readers', async () => {
    const terminal = fakeTerminal();
    const decisions = ['a', 'b', 'c'].map((id) =>
      terminal.approver.decide(callOf({ code: id }, id, id), never),
    );
    for (const [id, keys] of [
      ['a', 'n\n'],
      ['b', 'y\n'],
      ['c', 'n\n'],
    ] as const) {
      await terminal.until(`(${id})`);
      await terminal.until(QUESTION_END);
      expect(terminal.keyboard.listenerCount('data')).toBe(1);
      terminal.keyboard.write(keys);
    }
    expect(await Promise.all(decisions)).toEqual([denied(null), approved, denied(null)]);
    expect(terminal.keyboard.listenerCount('data')).toBe(0);
    expect(terminal.keyboard.isPaused()).toBe(true);
  });

  it('E19: while a question is open other lines wait; it starts on a fresh line and they follow the answer', async () => {
    const terminal = fakeTerminal();
    terminal.screen.write('The model is say');
    const decided = terminal.approver.decide(code, never);
    await terminal.until('run_python wants to run');
    terminal.screen.write('never seen in between');
    terminal.screen.line('read_file 3 ms');
    await terminal.until(QUESTION_END);
    terminal.screen.line('one more notice');
    expect(terminal.shown().startsWith('The model is say\nrun_python wants to run')).toBe(true);
    expect(terminal.shown().endsWith(QUESTION_END)).toBe(true);
    terminal.keyboard.write('y\n');
    await decided;
    await terminal.until('never seen in between\nread_file 3 ms\none more notice\n');
  });
});

describe('always', () => {
  it('holds for that tool from then on, also for calls that are in the queue, and for no other tool', async () => {
    const terminal = fakeTerminal();
    const first = terminal.approver.decide(code, never);
    const queued = terminal.approver.decide(code, never);
    await terminal.answer('a\n');
    const rule = 'allow run_python';
    expect(await first).toEqual({ ...approved, rule });
    expect(terminal.shown()).toContain('From here on, until this command ends: allow run_python\n');
    expect(await queued).toEqual({ decision: 'approve', by: 'always', rule });
    expect(await terminal.approver.decide(code, never)).toEqual({ decision: 'approve', by: 'always', rule });
    const other = terminal.approver.decide(callOf({}, 'delete_file'), never);
    await terminal.answer('n\n');
    expect(await other).toEqual(denied(null));
  });

  it.each([
    ['ask run_python(code*=os)', 'allow run_python(code*=os)'],
    ['ask *(code*=(x))', 'allow run_python(code*=(x))'],
    ['ask *', 'allow run_python'],
    ['beforeTool', 'allow run_python'],
  ])('of a call that %s asks for holds for calls that the same asks for', async (asking, rule) => {
    const terminal = fakeTerminal();
    const asked = { ...code, rule: asking };
    const first = terminal.approver.decide(asked, never);
    await terminal.until(`Asked for by: ${asking}\n`);
    await terminal.until('[a]lways by this rule');
    await terminal.answer('a\n');
    expect(await first).toEqual({ ...approved, rule });
    expect(await terminal.approver.decide(asked, never)).toEqual({ decision: 'approve', by: 'always', rule });
    const other = terminal.approver.decide({ ...code, rule: 'ask run_python(code*=rm)' }, never);
    await terminal.answer('n\n');
    expect(await other).toEqual(denied(null));
  });

  it('is not what "yes" means', async () => {
    const terminal = fakeTerminal();
    for (const _ of [1, 2]) {
      const decided = terminal.approver.decide(code, never);
      await terminal.answer('y\n');
      expect(await decided).toEqual(approved);
    }
  });
});
