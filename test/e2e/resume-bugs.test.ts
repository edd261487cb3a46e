/** Public failures of other loops that have to do with going on. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { says, thinking, toolUse, type Reply } from '../../src/testing/index.ts';
import { verifyJournal } from '../../src/verify/index.ts';
import { turnstile } from './command.ts';
import { hashIn, shell, type Shell } from './shell.ts';

const looks = (id: string): Reply => says(toolUse('read_file', { path: 'a.txt' }, id));

/** No request was refused by the server, and the journal holds. */
async function expectSound({ requests, journal }: Shell): Promise<void> {
  expect(requests.map(({ refusal }) => refusal)).toEqual(requests.map(() => null));
  expect(verifyJournal(await journal())).toEqual([]);
}

describe.concurrent('a run that goes on', () => {
  it.each([
    { what: 'of NULs', bytes: Buffer.alloc(500), says: /line 1 is not JSON|no header/ },
    { what: 'without anything', bytes: '', says: /no header/ },
    { what: 'with a list', bytes: '[]\n', says: /line 1 is no line of a journal/ },
    { what: 'with an empty object', bytes: '{}\n', says: /line 1 is no line of a journal/ },
    { what: 'of a newer version', bytes: '{"type":"run.started","format":999}\n', says: /newer version/ },
    { what: 'of another program', bytes: '{"name":"x","version":"1.0.0"}\n', says: /line 1 is no line/ },
  ])('F04: is not begun from a file $what; the file stays', async ({ bytes, says: said }) => {
    const { cwd, run, requests } = await shell(says('x'));
    await writeFile(join(cwd, 'f.jsonl'), bytes);
    const ended = await run('resume', 'f.jsonl', '--workdir', '.');
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) });
    expect(await readFile(join(cwd, 'f.jsonl'))).toEqual(Buffer.from(bytes));
    expect(requests).toHaveLength(0);
  });

  it('F04: is not begun from a folder', async () => {
    const { cwd, run } = await shell(says('x'));
    await mkdir(join(cwd, 'd.jsonl'));
    expect(await run('resume', 'd.jsonl')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('EISDIR'),
    });
  });

  it('F07: is not given to another model, whose thoughts they are not', async () => {
    const { run, requests } = await shell(says(thinking('I think.'), 'One.'), says('Two.'));
    await run('do it');
    expect(await run('resume', 'last', 'more', '--model', 'claude-opus-5-5')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/has thoughts of claude-haiku-5-5/),
    });
    expect(requests).toHaveLength(1);
    expect((await run('resume', 'last', 'more')).stdout).toBe('Two.\n');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('F09: goes on after %s', async (signal) => {
    const box = await shell(looks('toolu_1'), { kind: 'stall', at: 2, reply: says('x') }, says('Done.'));
    await box.kill(['do it'], async () => box.requests.length === 2, signal);
    expect(await box.run('resume', 'last')).toMatchObject({ code: 0, stdout: 'Done.\n' });
    await expectSound(box);
  });

  it('C19: has its end and its usage when a terminal closes, which hangs up twice', async () => {
    const box = await shell({ kind: 'stall', at: 2, reply: says('x') }, says('Done.'));
    const hangUps = async (child: ChildProcess): Promise<void> => {
      await vi.waitUntil(() => box.requests.length === 1, { timeout: 20_000 });
      child.kill('SIGHUP');
      await vi.waitUntil(async () => (await box.journal()).length > 1, { timeout: 20_000, interval: 1 });
      child.kill('SIGHUP');
    };
    const hungUp: Promise<void>[] = [];
    const ended = await turnstile(['do it'], {
      cwd: box.cwd,
      env: box.env,
      onStart: (child) => {
        hungUp.push(hangUps(child));
      },
    });
    await Promise.all(hungUp);
    expect(ended.code).toBe(129);
    expect((await box.journal()).map(({ type }) => type)).toEqual([
      'run.started',
      'run.aborted',
      'run.ended',
    ]);
    expect(await box.run('resume', 'last')).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });

  it('F14: does not repeat what had its effect before the kill', async () => {
    const code = 'import time\nopen("log.txt", "a").write("x")\ntime.sleep(3)';
    const box = await shell(says(toolUse('run_python', { code })), says('Looked.'));
    const log = () => readFile(join(box.cwd, 'log.txt'), 'utf8').catch(() => '');
    await box.kill(['do it', '--yes', '--sandbox', 'none'], async () => (await log()) === 'x');
    expect(await box.run('resume', 'last', '--yes', '--sandbox', 'none')).toMatchObject({
      code: 0,
      stdout: 'Looked.\n',
    });
    expect(await log()).toBe('x');
    expect(JSON.stringify(box.requests[1]?.body)).toMatch(/Interrupted: run_python had started/);
    await expectSound(box);
  });

  it('E13: asks again for the same code, although it was approved before the kill', async () => {
    const same = (id: string) => says(toolUse('run_python', { code: 'print(1)' }, id));
    const box = await shell(same('toolu_1'), { kind: 'stall', at: 2, reply: says('x') }, same('toolu_2'));
    await box.run('do it');
    const hash = hashIn(await box.run('approve', 'last'));
    await box.run('approve', 'last', '--input-hash', hash);
    await box.kill(['resume', 'last'], async () => box.requests.length === 2);
    const again = await box.run('resume', 'last');
    expect(again).toMatchObject({ code: 8, stderr: expect.stringContaining('toolu_2') });
    await expectSound(box);
  });

  it('E15: asks for the same call again, and the model for nothing', async () => {
    const box = await shell(says(toolUse('run_python', { code: 'print(1)' }, 'toolu_1')));
    await box.run('do it');
    expect(await box.run('resume', 'last')).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('toolu_1'),
    });
    expect(box.requests).toHaveLength(1);
    await expectSound(box);
  });

  it('A06: leaves out blank text of before', async () => {
    const box = await shell(
      says(' \n', toolUse('read_file', { path: 'a.txt' }, 'toolu_1')),
      says('One.'),
      says('Two.'),
    );
    await box.run('do it');
    expect((await box.run('resume', 'last', 'more')).stdout).toBe('Two.\n');
    expect(JSON.stringify(box.requests[2]?.body)).not.toContain(String.raw`" \n"`);
    await expectSound(box);
  });

  it('A07: goes on behind a turn that had no content at all', async () => {
    const box = await shell(says(), says('Two.'));
    expect((await box.run('do it')).stderr).toMatch(/without a word/);
    expect(await box.run('resume', 'last', 'more')).toMatchObject({ code: 0, stdout: 'Two.\n' });
    await expectSound(box);
  });

  it('B06: counts the turns of before', async () => {
    const box = await shell(looks('toolu_1'), looks('toolu_2'), looks('toolu_3'), says('Done.'));
    expect((await box.run('do it', '--max-turns', '2', '--on-limit', 'stop')).code).toBe(3);
    expect((await box.run('resume', 'last', '--max-turns', '3')).code).toBe(3);
    expect(box.requests).toHaveLength(3);
    expect((await box.run('resume', 'last')).stderr).toMatch(/No turn is left: 3 of 3/);
    await expectSound(box);
  });

  it('B18: has a way out of a refusal, which is no answer', async () => {
    const refusal: Reply = {
      kind: 'message',
      content: [{ type: 'text', text: 'I sh' }],
      stopReason: 'refusal',
    };
    const box = await shell(looks('toolu_1'), refusal, says('Then this.'));
    const refused = await box.run('do it');
    expect(refused).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/declined.*\nTo go on: turnstile resume \w{8} "/),
    });
    expect(refused.stdout).not.toContain('I sh');
    expect((await box.run('resume', 'last')).code).toBe(2);
    expect(await box.run('resume', 'last', 'Something else.')).toMatchObject({
      code: 0,
      stdout: 'Then this.\n',
    });
    await expectSound(box);
  });

  it('C19: has the usage of every turn before the kill, and of all in the end', async () => {
    const box = await shell(
      looks('toolu_1'),
      looks('toolu_2'),
      looks('toolu_3'),
      { kind: 'stall', at: 2, reply: says('x') },
      says('Done.'),
    );
    await box.kill(['do it'], async () => box.requests.length === 4);
    const killed = JSON.parse((await box.run('export', 'last')).stdout) as { turns: { usage: unknown }[] };
    expect(killed.turns.filter(({ usage }) => usage !== null)).toHaveLength(3);
    const { stdout } = await box.run('resume', 'last', '--output', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ turns: 4, is_usage_incomplete: true });
    await expectSound(box);
  });
});
