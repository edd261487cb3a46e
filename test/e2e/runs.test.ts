import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { fails, says, thinking, toolUse, type Reply } from '../../src/testing/index.ts';
import { verifyJournal } from '../../src/verify/index.ts';
import { BARE, BIN, turnstile } from './command.ts';
import { hashIn, madeIn, python, shell, waiting } from './shell.ts';

describe.concurrent('turnstile resume', () => {
  it('asks again after a failure of the model, with all that was said', async () => {
    const { run, requests } = await shell(fails(400, 'invalid_request_error', 'no'), says('Done.'));
    expect((await run('do it')).stderr).toMatch(/To go on: turnstile resume \w{8}/);
    expect(await run('resume', 'last')).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(requests).toHaveLength(2);
  });

  it('goes on after the turn limit by the line that the run ended with', async () => {
    const { run } = await shell(
      says(toolUse('read_file', { path: 'a.txt' })),
      says('Summed.'),
      says('Done.'),
    );
    const stopped = await run('do it', '--max-turns', '2');
    expect(stopped.code).toBe(3);
    const line = /To go on: turnstile (.*)/.exec(stopped.stderr)?.[1] ?? '';
    expect(await run(...line.split(' '))).toMatchObject({ code: 0 });
  });

  it('goes on after a budget by the line that the run ended with, also when it was resumed before', async () => {
    const looks = (id: string) => says(toolUse('read_file', { path: 'a.txt' }, id));
    const { run } = await shell(says('One.'), looks('toolu_1'), looks('toolu_2'), says('Done.'));
    await run('do it', '--tools', 'read_file', '--max-tokens', '2000');
    const stopped = await run('resume', 'last', 'more', '--token-budget', '6500');
    expect(stopped).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/Raise --token-budget to \d+ or more/),
    });
    const line = /To go on: turnstile (.*)/.exec(stopped.stderr)?.[1] ?? '';
    expect(line).toMatch(/^resume \w{8} --token-budget \d+$/);
    expect((await run(...line.split(' '))).code).not.toBe(2);
  });

  it('takes a message, also from stdin, and a prefix of the id', async () => {
    const { run, requests, cwd } = await shell(says('One.'), says('Two.'), says('Three.'));
    await run('do it');
    const [{ run_id: id }] = JSON.parse((await run('runs', '--json')).stdout) as [{ run_id: string }];
    expect((await run('resume', id.slice(0, 4), '中位数呢？')).stdout).toBe('Two.\n');
    const env = { ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' };
    expect((await turnstile(['resume', id, '-'], { cwd, env, stdin: ' ' })).stderr).toContain(
      'message is blank',
    );
    expect(JSON.stringify(requests[1]?.body)).toContain('中位数呢？');
  });

  it('keeps what the model was told of its tools: their names and the time limit of a script', async () => {
    const { run, requests } = await shell(says('One.'), says('Two.'));
    await run('do it', '--tools', 'run_python', '--tool-timeout', '1.5');
    expect(await run('resume', 'last', 'more')).toMatchObject({ code: 0, stdout: 'Two.\n' });
    const [first, second] = requests.map(({ body }) => JSON.stringify(Object(body).tools));
    expect(second).toBe(first);
    expect(second).toContain('After 1.5 seconds');
  });

  it('does not bring back --yes', async () => {
    const { cwd, run } = await shell(says('One.'), says(python('open("made", "w")')), says('Done.'));
    await run('do it', '--yes');
    expect((await run('resume', 'last', 'more')).code).toBe(8);
    expect((await run('resume', 'last', '--yes')).code).toBe(0);
    expect(await madeIn(cwd)).toContain('made');
  });

  it('is refused while the run is under way, with the pid of its process (F12)', async () => {
    const { run, cwd, env } = await shell({ kind: 'stall', at: 2, reply: says('x') });
    const child = spawn(process.execPath, ['--', BIN, 'do it'], { cwd, env: { ...BARE, ...env } });
    const ended = once(child, 'close');
    await vi.waitUntil(async () => (await run('runs')).stdout.includes('running'), { timeout: 20_000 });
    expect(await run('resume', 'last')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`process ${child.pid ?? 0}`),
    });
    child.kill('SIGKILL');
    await ended;
    expect((await run('runs')).stdout).toMatch(/interrupted/);
  });

  it.each([
    { what: 'an answered run without a message', args: ['resume', 'last'], says: /a message is needed/ },
    {
      what: 'too few turns',
      args: ['resume', 'last', 'x', '--max-turns', '1'],
      says: /--max-turns 2 or more/,
    },
    {
      what: 'too little money',
      args: ['resume', 'last', 'x', '--max-usd', '0.000001'],
      says: /--max-usd 0\.\d+ or more/,
    },
    { what: 'a file that is not there', args: ['resume', './no.jsonl'], says: /There is no file/ },
    { what: 'nothing', args: ['resume'], says: /missing required argument 'run'/ },
  ])('refuses $what, before anything is sent', async ({ args, says: said }) => {
    const { run, requests } = await shell(says('Done.'));
    await run('do it');
    expect(await run(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(said) });
    expect(requests).toHaveLength(1);
  });

  it('says that a torn line was dropped, and goes on (F03)', async () => {
    const { journalFile, run, journal } = await waiting();
    const journalPath = await journalFile();
    const whole = await readFile(journalPath, 'utf8');
    await writeFile(journalPath, `${whole}{"type":"run.re`);
    const ended = await run('resume', 'last');
    expect(ended.stderr).toMatch(/last line of the journal was torn \(15 bytes\)/);
    expect(verifyJournal(await journal())).toEqual([]);
  });

  it.each([
    { what: 'no line', text: '' },
    { what: 'half a header', text: '{"type":"run.st' },
  ])('says of a journal with $what that its run had not begun', async ({ text }) => {
    const { journalFile, run, requests } = await shell(says('Done.'));
    await run('do it');
    await writeFile(await journalFile(), text);
    for (const command of ['resume', 'show', 'export', 'replay', 'approve'])
      expect(await run(command, 'last')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/no header yet: .* Begin the run again\.$/m),
      });
    expect((await run('runs')).stdout).toMatch(/^\w{8} {2}empty /);
    expect(requests).toHaveLength(1);
  });

  it.each([
    { what: 'NULs', text: '\0'.repeat(8) },
    { what: 'something else', text: 'hello' },
  ])('takes $what for no beginning of a journal', async ({ text }) => {
    const { journalFile, run } = await shell(says('Done.'));
    await run('do it');
    await writeFile(await journalFile(), text);
    expect(await run('resume', 'last')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/line 1 is not JSON/),
    });
    expect((await run('runs')).stdout).toMatch(/^\w{8} {2}damaged /);
  });

  it('names the line of a damaged journal; a fork goes on with what stands before it', async () => {
    const { journalFile, run } = await shell(fails(400, 'invalid_request_error', 'no'), says('Done.'));
    await run('do it');
    const journalPath = await journalFile();
    const [header = '', ...rest] = (await readFile(journalPath, 'utf8')).split('\n');
    await writeFile(journalPath, [header, 'damaged', ...rest].join('\n'));
    expect(await run('resume', 'last')).toMatchObject({
      stderr: expect.stringMatching(/line 2 is not JSON.*turnstile fork RUN --at 1$/m),
    });
    expect((await run('runs')).stdout).toContain('damaged');
    const id = (await run('fork', 'last', '--at', '1')).stdout.trim();
    expect(id).toMatch(/^\w{8}$/);
    expect(await run('resume', id)).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });
});

describe.concurrent('a journal from elsewhere (E15)', () => {
  async function foreign(...replies: readonly Reply[]) {
    const box = await waiting(...replies);
    const journalPath = await box.journalFile();
    const file = join(box.cwd, 'got by mail.jsonl');
    await copyFile(journalPath, file);
    return { ...box, file };
  }

  it('says nothing of where tools may look: the folder has to be named', async () => {
    const { run, file } = await foreign();
    expect(await run('resume', file)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--workdir DIR/),
    });
  });

  it('brings no approval along', async () => {
    const { cwd, run, file, journalFile } = await foreign();
    const hash = hashIn(await run('approve', 'last'));
    await run('approve', 'last', '--input-hash', hash);
    const journalPath = await journalFile();
    await copyFile(journalPath, file);
    expect((await run('resume', file, '--workdir', '.')).code).toBe(8);
    expect(await madeIn(cwd)).not.toContain('made');
    expect((await run('approve', file)).stderr).toMatch(/would count for nothing/);
  });

  it('is not gone on with when it does not hold together', async () => {
    const { run, file } = await foreign();
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/"nanoUsd":\d+/g, '"nanoUsd":0'));
    expect(await run('resume', file, '--workdir', '.')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/does not hold together\. Line \d/),
    });
  });

  it('stays from elsewhere behind a link in the state folder', async () => {
    const { cwd, run, file } = await foreign();
    await symlink(file, join(cwd, '.turnstile', 'runs', 'link.jsonl'));
    expect((await run('resume', '.turnstile/runs/link.jsonl')).stderr).toMatch(/--workdir DIR/);
    expect((await run('resume', 'link')).code).not.toBe(0);
  });
});

describe.concurrent('turnstile resume --fork', () => {
  it('goes on in a new run with other tools and system text, without thoughts; the old one stays', async () => {
    const { cwd, run, requests, journalFile } = await shell(
      says(thinking('Hm.'), toolUse('read_file', { path: 'a.txt' })),
      says(thinking('Hm.'), 'One.'),
      says('Two.'),
    );
    await run('do it', '--tools', 'read_file,run_python');
    const file = await journalFile();
    const before = await readFile(file, 'utf8');
    await writeFile(join(cwd, 'system.txt'), 'Be brief.');
    const more = ['--fork', '--tools', 'read_file', '--system', 'system.txt'];
    const ended = await run('resume', 'last', 'And the rest?', ...more);
    expect(ended).toMatchObject({ code: 0, stdout: 'Two.\n' });
    const id = /goes on as (\w{8})/.exec(ended.stderr)?.[1] ?? '';
    const body = JSON.stringify(requests[2]?.body);
    expect(body).toContain('Be brief.');
    expect(body).toContain('toolu_');
    expect(body).not.toMatch(/thinking":|run_python/);
    expect(await run('verify', id)).toMatchObject({ code: 0 });
    expect(JSON.parse((await run('runs', '--json')).stdout)).toHaveLength(2);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('judges a call that waits by the tools that there are now', async () => {
    const { run, requests } = await waiting(says('Done.'));
    expect(await run('resume', 'last', '--fork', '--tools', 'read_file')).toMatchObject({ code: 0 });
    expect(JSON.stringify(requests.at(-1)?.body)).toMatch(/is_error":true/);
    expect(await run('verify', 'last')).toMatchObject({ code: 0 });
  });

  it('is needed for other tools or another system text', async () => {
    const { run } = await shell(says('One.'));
    await run('do it');
    expect(await run('resume', 'last', 'more', '--tools', 'read_file')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--fork/),
    });
  });
});

describe.concurrent('turnstile fork', () => {
  it.each([
    { what: 'the task', at: 1, sends: '五乘五？' },
    { what: 'a message', at: 4, sends: '五乘五？' },
  ])('begins a run with $what in other words', async ({ at, sends }) => {
    const { run, requests } = await shell(says('One.'), says('Two.'), says('Three.'));
    await run('do it');
    await run('resume', 'last', 'And the rest?');
    const forked = await run('fork', 'last', '--at', String(at), '--edit-message', sends);
    const id = forked.stdout.trim();
    expect((await run('resume', id)).stdout).toBe('Three.\n');
    const body = JSON.stringify(requests[2]?.body);
    expect(body).toContain(sends);
    expect(body).not.toContain(at === 1 ? 'do it' : 'And the rest?');
    expect(await run('verify', id)).toMatchObject({ code: 0 });
  });

  it.each([
    { what: 'behind the end', args: ['--at', '9'], says: /has 3 lines/ },
    {
      what: 'with words where there are none',
      args: ['--at', '2', '--edit-message', 'x'],
      says: /says nothing in that line/,
    },
    { what: 'with a blank message', args: ['--at', '1', '--edit-message', ' '], says: /blank/ },
    { what: 'without a line', args: [], says: /--at/ },
    { what: 'at line 0', args: ['--at', '0'], says: /number of a line/ },
  ])('does not begin $what', async ({ args, says: said }) => {
    const { cwd, run } = await shell(says('One.'));
    await run('do it');
    expect(await run('fork', 'last', ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(said),
    });
    expect(
      (await readdir(join(cwd, '.turnstile', 'runs'))).filter((name) => name.endsWith('.jsonl')),
    ).toHaveLength(1);
  });
});

describe.concurrent('looking at runs', () => {
  it('lists, shows, exports and replays them', async () => {
    const { run } = await waiting(says('Done.'));
    expect((await run('runs')).stdout).toMatch(/^\w{8} {2}waiting +1 +\$0\.\d+ +\d+ s {2}do it\n$/);
    expect((await run('show', 'last')).stdout).toMatch(
      /model: .*\n.*waits\n[^]*run_python[^]*To go on: turnstile approve/,
    );
    expect(JSON.parse((await run('show', 'last', '--json')).stdout)).toHaveLength(3);
    expect(JSON.parse((await run('export', 'last')).stdout)).toMatchObject({ task: 'do it' });
    expect(await run('replay', 'last')).toMatchObject({
      code: 0,
      stderr: '3 of 3 lines: every state as before.\n',
    });
    expect((await run('replay', 'last', '--until', '1')).stdout.split('\n')).toHaveLength(2);
    expect(await run('verify', 'last')).toMatchObject({ code: 0 });
  });

  it('tells that there are none', async () => {
    const { run } = await shell(says('x'));
    expect(await run('runs')).toMatchObject({ code: 0, stdout: '' });
    expect((await run('runs', '--json')).stdout).toBe('[]\n');
    expect((await run('show', 'last')).stderr).toMatch(/There are no runs/);
  });

  it('tells of an outcome that the facts do not come to', async () => {
    const { journalFile, run } = await shell(says('Done.'));
    await run('do it');
    const journalPath = await journalFile();
    const text = await readFile(journalPath, 'utf8');
    await writeFile(journalPath, text.replace('"answer":"Done."', '"answer":"Undone."'));
    expect(await run('replay', 'last')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Line 3: /),
    });
  });
});

describe.concurrent('a journal that cannot be written', () => {
  const LOGS: Readonly<Record<number, string>> = { 1: 'x', 2: 'x', 3: 'none', 4: 'x' };

  // A limit on the size of files stands in for a full disk: the write fails halfway through a line.
  it.each([1, 2, 3, 4])(
    'for lack of room behind %d KB: stops before the next step, and goes on later',
    async (kb) => {
      const code = 'print(open("log.txt", "a").write("x"))';
      const flags = ['--yes', '--sandbox', 'none'];
      const { cwd, run, env, journal } = await shell(says(toolUse('run_python', { code })), says('Done.'));
      // The header holds the tools, so these are few: it is to fit into 3 KB.
      const command = `"${process.execPath}" -- "${BIN}" "do it" ${flags.join(' ')} --tools read_file,run_python`;
      const limited = `ulimit -f ${kb}; exec ${command}`;
      const child = spawn('bash', ['-c', limited], { cwd, env: { ...BARE, ...env } });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const [exitCode] = (await once(child, 'close')) as [number];
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(/The journal cannot be written: EFBIG/),
      });
      const isHeaderLost = kb <= 2;
      const again = await (isHeaderLost ? run('do it', ...flags) : run('resume', 'last', ...flags));
      expect(again).toMatchObject({ code: 0, stdout: 'Done.\n' });
      // Where the response was lost, the model is asked again, and needs no script any more.
      expect(await readFile(join(cwd, 'log.txt'), 'utf8').catch(() => 'none')).toBe(LOGS[kb]);
      if (!isHeaderLost) expect(verifyJournal(await journal())).toEqual([]);
    },
  );

  it('in a folder that cannot be written to: nothing is sent', async () => {
    const { cwd, run, requests } = await shell(says('Done.'));
    await writeFile(join(cwd, '.turnstile'), 'a file');
    expect(await run('do it', '--tools', 'read_file')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Cannot write to the state folder/),
    });
    expect(requests).toHaveLength(0);
  });
});
