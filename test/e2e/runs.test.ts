import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fails, says, toolUse, type Reply } from '../../src/testing/index.ts';
import { verifyJournal } from '../../src/verify/index.ts';
import { BARE, BIN, folderWith, keyed, serverOf, turnstile, type Ended } from './command.ts';

const python = (code: string, id?: string) => toolUse('run_python', { code }, id);

interface Shell {
  readonly cwd: string;
  readonly requests: readonly { readonly body: unknown }[];
  readonly env: Readonly<Record<string, string>>;
  readonly run: (...args: readonly string[]) => Promise<Ended>;
  /** Lines of the newest journal. */
  readonly journal: () => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** A folder, and a server that gives these replies in turn. */
async function shell(...replies: readonly Reply[]): Promise<Shell> {
  const cwd = await folderWith({ 'a.txt': 'x' });
  const server = await serverOf(replies);
  const runs = join(cwd, '.turnstile', 'runs');
  return {
    cwd,
    requests: server.requests,
    env: keyed(server),
    run: (...args) => turnstile(args, { cwd, env: keyed(server) }),
    journal: async () => {
      const [name = ''] = (await readdir(runs)).filter((file) => file.endsWith('.jsonl'));
      const text = await readFile(join(runs, name), 'utf8');
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    },
  };
}

/** A run that waits: its model wants to write a file. */
const waiting = async (...more: readonly Reply[]): Promise<Shell> => {
  const box = await shell(says(python('open("made", "w")', 'toolu_1')), ...more);
  expect((await box.run('do it')).code).toBe(8);
  return box;
};

const hashIn = ({ stderr }: Ended): string => /--input-hash ([0-9a-f]{16})/.exec(stderr)?.[1] ?? 'none';

describe.concurrent('a run that waits for approval (E13, E14)', () => {
  it('is approved by another process, and goes on in a third', async () => {
    const { cwd, run, journal } = await waiting(says('Done.'));
    const blind = await run('approve', 'last');
    expect(blind).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('open("made", "w")'),
    });
    expect(await run('approve', 'last', '--input-hash', hashIn(blind))).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^1 call approved\. To go on: turnstile resume \w{8}\n$/),
    });
    expect(await readdir(cwd)).not.toContain('made');
    expect(await run('resume', 'last')).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(await readdir(cwd)).toContain('made');
    expect(verifyJournal(await journal())).toEqual([]);
  });

  it('is denied with a reason, which the model reads', async () => {
    const { cwd, run, requests } = await waiting(says('Then not.'));
    expect((await run('deny', 'last', '--reason', '别写文件')).code).toBe(0);
    expect(await run('resume', 'last')).toMatchObject({ code: 0, stdout: 'Then not.\n' });
    expect(JSON.stringify(requests[1]?.body)).toContain('别写文件');
    expect(await readdir(cwd)).not.toContain('made');
  });

  it('runs what a person wrote instead, and the model is told', async () => {
    const { cwd, run, requests } = await waiting(says('Done.'));
    await writeFile(join(cwd, 'mine.py'), 'open("other", "w")');
    const hash = hashIn(await run('approve', 'last'));
    expect((await run('approve', 'last', '--edit', 'mine.py', '--input-hash', hash)).code).toBe(0);
    expect((await run('resume', 'last')).code).toBe(0);
    expect(await readdir(cwd)).toEqual(expect.arrayContaining(['other']));
    expect(await readdir(cwd)).not.toContain('made');
    expect(JSON.stringify(requests[1]?.body)).toContain('other');
  });

  it('waits on when it is resumed and still nobody decides; nothing is asked or paid', async () => {
    const { run, requests } = await waiting();
    expect((await run('resume', 'last')).code).toBe(8);
    expect(requests).toHaveLength(1);
  });

  it('with several calls wants their names, and takes them one by one', async () => {
    const { cwd, run } = await shell(
      says(python('open("one", "w")', 'toolu_1'), python('open("two", "w")', 'toolu_2')),
      says('Done.'),
    );
    await run('do it');
    expect((await run('deny', 'last')).stderr).toMatch(/Which call\?.*toolu_1.*toolu_2/);
    expect((await run('deny', 'last', 'toolu_1')).code).toBe(0);
    expect((await run('runs', '--waiting', '--json')).stdout).toContain('"waiting_calls":["toolu_2"]');
    const hash = hashIn(await run('approve', 'last', 'toolu_2'));
    expect((await run('approve', 'last', 'toolu_2', '--input-hash', hash)).code).toBe(0);
    expect((await run('resume', 'last')).stdout).toBe('Done.\n');
    expect(await readdir(cwd)).toEqual(expect.arrayContaining(['two']));
    expect(await readdir(cwd)).not.toContain('one');
  });

  it.each<{ what: string; args: readonly string[]; says: RegExp; first?: readonly string[] }>([
    { what: 'without looking', args: ['approve', 'last'], says: /no terminal to ask on/ },
    {
      what: 'with the hash of something else',
      args: ['approve', 'last', '--input-hash', '0123456789abcdef'],
      says: /not the one whose hash was given/,
    },
    {
      what: 'with half a hash',
      args: ['approve', 'last', '--input-hash', '01'],
      says: /not the one whose hash/,
    },
    {
      what: 'a call of another run',
      args: ['approve', 'last', 'toolu_9'],
      says: /No call toolu_9 of this run/,
    },
    {
      what: 'twice',
      first: ['deny', 'last'],
      args: ['approve', 'last'],
      says: /decided already.*turnstile resume/,
    },
    { what: 'all and one', args: ['deny', 'last', 'toolu_1', '--all'], says: /contradict/ },
    { what: 'a run that is not there', args: ['approve', 'zzzz'], says: /There is no run zzzz/ },
  ])('is not approved $what', async ({ args, says: said, first }) => {
    const { run, journal } = await waiting();
    if (first !== undefined) await run(...first);
    const before = await journal();
    const ended = await run(...args);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) });
    expect(await journal()).toEqual(before);
  });

  it('is not approved once it has stopped', async () => {
    const { run } = await shell(says('Done.'));
    await run('do it');
    expect(await run('approve', 'last')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/has stopped \(end_turn\)/),
    });
  });
});

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

  it('does not bring back --yes', async () => {
    const { cwd, run } = await shell(says('One.'), says(python('open("made", "w")')), says('Done.'));
    await run('do it', '--yes');
    expect((await run('resume', 'last', 'more')).code).toBe(8);
    expect((await run('resume', 'last', '--yes')).code).toBe(0);
    expect(await readdir(cwd)).toContain('made');
  });

  it('is refused while the run is under way, with the pid of its process (F12)', async () => {
    const { run, cwd, env } = await shell({ kind: 'stall', at: 2, reply: says('x') });
    const child = spawn(process.execPath, ['--', BIN, 'do it'], { cwd, env: { ...BARE, ...env } });
    const ended = once(child, 'close');
    await expect.poll(() => run('runs').then(({ stdout }) => stdout)).toMatch(/running/);
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
    const { cwd, run, journal } = await waiting();
    const runs = join(cwd, '.turnstile', 'runs');
    const [name = ''] = (await readdir(runs)).filter((file) => file.endsWith('.jsonl'));
    const whole = await readFile(join(runs, name), 'utf8');
    await writeFile(join(runs, name), `${whole}{"type":"run.re`);
    const ended = await run('resume', 'last');
    expect(ended.stderr).toMatch(/last line of the journal was torn \(15 bytes\)/);
    expect(verifyJournal(await journal())).toEqual([]);
  });

  it('names the line of a damaged journal; a fork goes on with what stands before it', async () => {
    const { cwd, run } = await shell(fails(400, 'invalid_request_error', 'no'), says('Done.'));
    await run('do it');
    const runs = join(cwd, '.turnstile', 'runs');
    const [name = ''] = (await readdir(runs)).filter((file) => file.endsWith('.jsonl'));
    const [header = '', ...rest] = (await readFile(join(runs, name), 'utf8')).split('\n');
    await writeFile(join(runs, name), [header, 'damaged', ...rest].join('\n'));
    expect(await run('resume', 'last')).toMatchObject({
      stderr: expect.stringMatching(/line 2 is not JSON/),
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
    const runs = join(box.cwd, '.turnstile', 'runs');
    const [name = ''] = (await readdir(runs)).filter((file) => file.endsWith('.jsonl'));
    const file = join(box.cwd, 'got by mail.jsonl');
    await copyFile(join(runs, name), file);
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
    const { cwd, run, file } = await foreign();
    const hash = hashIn(await run('approve', 'last'));
    await run('approve', 'last', '--input-hash', hash);
    const runs = join(cwd, '.turnstile', 'runs');
    const [name = ''] = (await readdir(runs)).filter((entry) => entry.endsWith('.jsonl'));
    await copyFile(join(runs, name), file);
    expect((await run('resume', file, '--workdir', '.')).code).toBe(8);
    expect(await readdir(cwd)).not.toContain('made');
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
    const { cwd, run } = await shell(says('Done.'));
    await run('do it');
    const runs = join(cwd, '.turnstile', 'runs');
    const [name = ''] = (await readdir(runs)).filter((file) => file.endsWith('.jsonl'));
    const text = await readFile(join(runs, name), 'utf8');
    await writeFile(join(runs, name), text.replace('"answer":"Done."', '"answer":"Undone."'));
    expect(await run('replay', 'last')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Line 3: /),
    });
  });
});

describe.concurrent('a journal that cannot be written', () => {
  it('in a folder that cannot be written to: nothing is sent', async () => {
    const { cwd, run, requests } = await shell(says('Done.'));
    await writeFile(join(cwd, '.turnstile'), 'a file');
    expect(await run('do it')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Cannot write to the state folder/),
    });
    expect(requests).toHaveLength(0);
  });
});
