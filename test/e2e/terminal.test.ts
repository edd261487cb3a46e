import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says, toolUse, type Reply } from '../../src/testing/index.ts';
import { transcriptIn } from './command.ts';
import { onTerminal, QUESTION } from './on-terminal.ts';

const python = (...codes: readonly string[]): Reply =>
  says('I compute.', ...codes.map((code) => toolUse('run_python', { code })));

describe('on a terminal', () => {
  it('the code is shown before the question, and runs when it is approved (E21)', async () => {
    const { screen, code, second } = await onTerminal(
      [python('print(6 * 7)'), says('It is 42.')],
      [[QUESTION, 'y\r']],
    );
    expect(code).toBe(0);
    expect(screen.indexOf('print(6 * 7)')).toBeLessThan(screen.indexOf(QUESTION));
    expect(second).toContain('42');
    // What the model says is shown as it comes, and the answer is not printed a second time.
    expect(screen.match(/It is 42\./g)).toHaveLength(1);
    expect(screen.trimEnd().split('\n').at(-1)).toMatch(/^end_turn: 2 turns/);
  });

  it('what write_file and edit_file would change is shown as a diff before the question', async () => {
    const edit = toolUse('edit_file', { path: 'a.txt', old_text: 'x', new_text: 'y\u202E' });
    const lost = toolUse('edit_file', { path: 'a.txt', old_text: 'none', new_text: 'y' });
    const make = toolUse('write_file', { path: 'sub/b.txt', content: 'b\n' });
    const { screen, folder, second } = await onTerminal(
      [says('I write.', edit, lost, make), says('Done.')],
      [
        [QUESTION, 'y\r'],
        [QUESTION, 'n\r'],
        [QUESTION, 'y\r'],
      ],
      { args: ['--tools', 'write_file,edit_file'] },
    );
    const [first = '', next = '', last = ''] = screen.split(QUESTION);
    expect(first).toContain(String.raw`+y\u{202e}`);
    expect(next).toMatch(/What it would change:\n {2}1 │ This call would fail: old_text is not in "a\.txt"/);
    expect(last).toMatch(/\+\+\+ sub\/b\.txt\n.*\n.*│ \+b\n/);
    expect(second).toContain('Wrote');
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('y\u202E');
    expect(await readFile(join(folder, 'sub/b.txt'), 'utf8')).toBe('b\n');
  });

  it('a denial takes a reason, and reaches the model', async () => {
    const { code, second } = await onTerminal(
      [python('print(1)'), says('As you like.')],
      [[QUESTION, 'n use the mean\r']],
    );
    expect(code).toBe(0);
    expect(second).toContain('use the mean');
    expect(second).toContain('denied this call');
  });

  it('E22: three calls are asked one after the other, and get their own answers', async () => {
    const { folder } = await onTerminal(
      [python('print(1)', 'print(2)', 'print(3)'), says('Done.')],
      [
        [QUESTION, 'n\r'],
        [QUESTION, 'y\r'],
        [QUESTION, 'n\r'],
      ],
    );
    const { turns } = await transcriptIn(folder);
    expect(turns[0]?.calls.map(({ outcome }) => outcome)).toEqual(['denied', 'succeeded', 'denied']);
  });

  it('E11: what is typed too early answers nothing: the second call is asked afresh', async () => {
    const { screen, folder } = await onTerminal(
      [python('print(1)', 'print(2)'), says('Done.')],
      [
        [QUESTION, 'y\ry\r'],
        [QUESTION, 'n\r'],
      ],
    );
    const { turns } = await transcriptIn(folder);
    expect(turns[0]?.calls.map(({ outcome }) => outcome)).toEqual(['succeeded', 'denied']);
    expect(screen.split(QUESTION)).toHaveLength(3);
  });

  it('a line that is typed while the run works joins the next request, behind the results (F14)', async () => {
    const { screen, second, folder } = await onTerminal(
      [python('import time; time.sleep(1)'), says('The median is 81.')],
      [['… run_python', '那中位数呢？\r']],
      { args: ['--yes', '--verbose'] },
    );
    expect(screen).toContain('noted; it joins the next request');
    expect(second.indexOf('tool_result')).toBeLessThan(second.indexOf('那中位数呢？'));
    expect((await transcriptIn(folder)).result).toMatchObject({ reason: 'end_turn' });
  });

  it('an answer that nobody asked for is no message to the model', async () => {
    const { screen, second } = await onTerminal(
      [python('import time; time.sleep(1)'), says('Done.')],
      [['… run_python', 'y\r']],
      { args: ['--yes', '--verbose'] },
    );
    expect(screen).toContain('Nothing is being asked');
    expect(second).not.toContain('"text":"y"');
  });

  it('"always" answers for all later calls of the tool', async () => {
    const { screen, folder } = await onTerminal(
      [python('print(1)', 'print(2)'), says('Done.')],
      [[QUESTION, 'a\r']],
    );
    const { turns } = await transcriptIn(folder);
    expect(turns[0]?.calls.map(({ decision }) => decision?.by)).toEqual(['person', 'always']);
    expect(screen.split(QUESTION)).toHaveLength(2);
  });

  it.each([
    { key: 'q\r', does: 'quits: every call has its result', code: 10, outcome: 'not_run' },
    { key: '\u0003', does: 'Ctrl-C leaves the run waiting', code: 130, outcome: 'open' },
  ])('$does, exit $code', async ({ key, code, outcome }) => {
    const played = await onTerminal([python('print(1)')], [[QUESTION, key]]);
    expect(played.code).toBe(code);
    const { turns } = await transcriptIn(played.folder);
    expect(turns[0]?.calls[0]?.outcome).toBe(outcome);
  });

  it('an edited call is shown as it ran, and marked', async () => {
    const { screen, second } = await onTerminal(
      [python('print(1)'), says('Done.')],
      [
        [QUESTION, 'e\r'],
        [QUESTION, 'y\r'],
      ],
      { editor: 'sed -i s/1/6*7/' },
    );
    expect(second).toContain('42');
    expect(screen).toContain('approved by you, edited');
    expect(screen).toMatch(/✓ run_python {"code":"print\(6\*7\)"} \(edited\)/);
    expect(screen).not.toContain('{"code":"print(1)"}');
  });

  it('an edited call that the schema refuses is not run, and the line says why', async () => {
    const { screen, second } = await onTerminal(
      [says(toolUse('read_file', { path: 'a.txt' })), says('Done.')],
      [
        [QUESTION, 'e\r'],
        [QUESTION, 'y\r'],
      ],
      { args: ['--ask', 'read_file'], editor: 'sed -i s/path/file/' },
    );
    expect(screen).toMatch(/The edited input was refused\..*path/s);
    expect(screen).not.toContain('denied by you');
    expect(second).toContain('edited input was refused');
  });

  it.each(['\u0003', '\u0004'])(
    'key %j at the question: says how to go on, and what was paid',
    async (key) => {
      const { screen, folder } = await onTerminal([python('print(1)')], [[QUESTION, key]], {
        args: ['--output', 'json'],
      });
      expect(screen).toMatch(/The run waits for approval of 1 call\..*run_python/s);
      expect(screen).toMatch(/To go on: turnstile approve (\w{8}), then turnstile resume \1/);
      expect(screen).toMatch(/{"state":"waiting".*"usage":{"input_tokens":[1-9].*"cost_usd":0\.0/);
      expect((await transcriptIn(folder)).result).toMatchObject({
        state: 'waiting',
        cost_usd: expect.any(Number),
      });
    },
  );

  it('the answer is on the screen once, also when stdout comes back by a pipe', async () => {
    const { screen } = await onTerminal([says('It is 42.')], [], { pipe: 'cat' });
    expect(screen.match(/It is 42\./g)).toHaveLength(1);
  });

  it('E05: nothing in the code is hidden or obeyed', async () => {
    const { screen } = await onTerminal(
      [python('print("a\u202eb")\u001b[2K # \u200bcafé 汉字')],
      [[QUESTION, 'q\r']],
    );
    expect(screen).toContain(String.raw`print("a\u{202e}b")\u{1b}[2K # \u{200b}café 汉字`);
  });
});
