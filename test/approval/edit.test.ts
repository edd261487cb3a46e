import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editWith, type Edit } from '../../src/approval/editor.ts';
import { callOf, fakeTerminal, never } from './terminal-double.ts';

const editTo =
  (text: string): Edit =>
  () =>
    Promise.resolve(text);

describe('e at the prompt', () => {
  it('shows the changed code, asks again, and approves what was shown', async () => {
    const terminal = fakeTerminal({ edit: editTo('print(2)\nprint("\u202E")') });
    const decided = terminal.approver.decide(callOf({ code: 'print(1)' }), never);
    await terminal.answer('e\n');
    await terminal.until('  1 │ print(2)\n');
    await terminal.until(String.raw`  2 │ print("\u{202e}")`);
    await terminal.answer('y\n');
    expect(await decided).toEqual({
      decision: 'approve',
      by: 'person',
      edited: { code: 'print(2)\nprint("\u202E")' },
    });
  });

  it('shows what the changed input would change', async () => {
    const terminal = fakeTerminal({ edit: editTo('{"path":"b"}') });
    const preview = (input: unknown): Promise<string> => Promise.resolve(`+${JSON.stringify(input)}`);
    const decided = terminal.approver.decide(callOf({ path: 'a' }), never, preview);
    await terminal.until('What it would change:\n  1 │ +{"path":"a"}\n');
    await terminal.answer('e\n');
    await terminal.until('What it would change:\n  1 │ +{"path":"b"}\n');
    await terminal.answer('y\n');
    expect(await decided).toMatchObject({ decision: 'approve', edited: { path: 'b' } });
  });

  it('a denial after it forgets the changes', async () => {
    const terminal = fakeTerminal({ edit: editTo('print(2)') });
    const decided = terminal.approver.decide(callOf({ code: 'print(1)' }), never);
    await terminal.answer('e\n');
    await terminal.answer('n\n');
    expect(await decided).toEqual({ decision: 'deny', by: 'person', reason: null });
  });

  it('can be followed by another, which gets the changed text', async () => {
    const terminal = fakeTerminal({ edit: (text) => Promise.resolve(`${text}!`) });
    const decided = terminal.approver.decide(callOf({ code: 'a' }), never);
    await terminal.answer('e\n');
    await terminal.answer('e\n');
    await terminal.answer('y\n');
    expect(await decided).toMatchObject({ edited: { code: 'a!!' } });
  });

  it('JSON is edited as JSON', async () => {
    const terminal = fakeTerminal({ edit: editTo('{"path":"b"}') });
    const decided = terminal.approver.decide(callOf({ path: 'a' }, 'write'), never);
    await terminal.answer('e\n');
    await terminal.answer('y\n');
    expect(await decided).toEqual({ decision: 'approve', by: 'person', edited: { path: 'b' } });
  });

  it.each<readonly [title: string, edit: Edit | undefined, said: string]>([
    ['no editor', undefined, 'There is no editor here.\n'],
    ['no variable for one', editWith({ EDITOR: '' }), 'There is no editor. Set VISUAL or EDITOR.\n'],
    [
      'an editor that fails',
      editWith({ EDITOR: 'exit 3;' }),
      'The editor (exit 3;) failed with 3. Nothing was changed.\n',
    ],
    ['text that is no JSON', editTo('{'), 'That is no JSON: '],
    [
      'an error that holds control characters',
      () => Promise.reject(new Error('\u001B[2J')),
      String.raw`\u{1b}[2J` + '\n',
    ],
  ])('%s: says so, asks again, and leaves the input as it was', async (_, edit, said) => {
    const terminal = fakeTerminal(edit === undefined ? {} : { edit });
    const decided = terminal.approver.decide(callOf({ path: 'a' }), never);
    await terminal.answer('e\n');
    await terminal.until(said);
    await terminal.answer('y\n');
    expect(await decided).toEqual({ decision: 'approve', by: 'person' });
  });

  it('an unchanged text is no edit', async () => {
    const terminal = fakeTerminal({ edit: (text) => Promise.resolve(text) });
    const decided = terminal.approver.decide(callOf({ code: 'a' }), never);
    await terminal.answer('e\n');
    await terminal.answer('y\n');
    expect(await decided).toEqual({ decision: 'approve', by: 'person' });
  });
});

describe('editWith', () => {
  let folder = '';
  const report = (): string => join(folder, 'report');
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnstile-test-'));
    await writeFile(
      join(folder, 'editor.sh'),
      `printf '%s\\n' "$#" "$1" "$2" "$(stat -c %a "$2" 2>/dev/null || stat -f %Lp "$2")" > '${report()}'\ncat "$2" >> '${report()}'\necho 'changed' > "$2"\n`,
    );
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('opens VISUAL, options and all, on a file of mode 600 that holds the text, and removes it', async () => {
    const edit = editWith({ VISUAL: `sh '${folder}/editor.sh' --wait`, EDITOR: 'false' });
    expect(await edit(`'; touch pwned; $(touch pwned)`, 'code.py', never)).toBe('changed');
    const [count, option, file = '', mode, text] = (await readFile(report(), 'utf8')).split('\n');
    expect([count, option, mode, text]).toEqual(['2', '--wait', '600', `'; touch pwned; $(touch pwned)`]);
    expect(file).toMatch(/code\.py$/);
    expect(existsSync(dirname(file))).toBe(false);
  });

  it.each([
    ['one', 'one'],
    ['one\n', 'one\n'],
    ['one\n\n', 'one\n\n'],
  ])('an editor that changes nothing but the end of the last line of %j gives %j', async (text, edited) => {
    expect(await editWith({ EDITOR: `sed -i.bak -e '$a\\'` })(text, 'code.py', never)).toBe(edited);
  });

  it('a signal ends the editor', async () => {
    const stop = new AbortController();
    const edited = editWith({ EDITOR: 'exec sleep 30 #' })('x', 'code.py', stop.signal);
    setImmediate(() => stop.abort());
    await expect(edited).rejects.toThrow('failed');
  });
});
