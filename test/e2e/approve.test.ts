import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says, toolUse } from '../../src/testing/index.ts';
import { verifyJournal } from '../../src/verify/index.ts';
import { hashIn, madeIn, python, shell, waiting } from './shell.ts';

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
    expect(await madeIn(cwd)).not.toContain('made');
    expect(await run('resume', 'last')).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(await madeIn(cwd)).toContain('made');
    expect(verifyJournal(await journal())).toEqual([]);
  });

  it('is denied with a reason, which the model reads', async () => {
    const { cwd, run, requests } = await waiting(says('Then not.'));
    expect((await run('deny', 'last', '--reason', '别写文件')).code).toBe(0);
    expect(await run('resume', 'last')).toMatchObject({ code: 0, stdout: 'Then not.\n' });
    expect(JSON.stringify(requests[1]?.body)).toContain('别写文件');
    expect(await madeIn(cwd)).not.toContain('made');
  });

  it('runs what a person wrote instead, and the model is told', async () => {
    const { cwd, run, requests } = await waiting(says('Done.'));
    await writeFile(join(cwd, 'mine.py'), 'import os; open(os.environ["SCRATCH"] + "/other", "w")');
    const hash = hashIn(await run('approve', 'last'));
    expect((await run('approve', 'last', '--edit', 'mine.py', '--input-hash', hash)).code).toBe(0);
    expect((await run('resume', 'last')).code).toBe(0);
    expect(await madeIn(cwd)).toEqual(expect.arrayContaining(['other']));
    expect(await madeIn(cwd)).not.toContain('made');
    expect(JSON.stringify(requests[1]?.body)).toContain('other');
  });

  it('goes on at once with --resume', async () => {
    const { cwd, run } = await waiting(says('Done.'));
    const hash = hashIn(await run('approve', 'last'));
    expect(await run('approve', 'last', '--input-hash', hash, '--resume')).toMatchObject({
      code: 0,
      stdout: 'Done.\n',
    });
    expect(await madeIn(cwd)).toContain('made');
    const other = await waiting(says('Then not.'));
    expect((await other.run('deny', 'last', '--resume')).stdout).toBe('Then not.\n');
  });

  it('waits on when it is resumed and still nobody decides; nothing is asked or paid', async () => {
    const { run, requests } = await waiting();
    expect((await run('resume', 'last')).code).toBe(8);
    expect(requests).toHaveLength(1);
  });

  it('shows what it would change', async () => {
    const { cwd, run } = await shell(
      says('I write.', toolUse('write_file', { path: 'b.txt', content: 'b\n' }, 'toolu_1')),
      says('Done.'),
    );
    await run('do it', '--tools', 'write_file');
    const looked = await run('approve', 'last');
    expect(looked.stderr).toMatch(/What it would change:\n.*--- \/dev\/null\n.*\+\+\+ b\.txt\n.*\n.*│ \+b\n/);
    expect((await run('approve', 'last', '--input-hash', hashIn(looked))).code).toBe(0);
    await run('resume', 'last');
    expect(await readFile(join(cwd, 'b.txt'), 'utf8')).toBe('b\n');
  });

  it('with several calls wants their names, and takes them one by one', async () => {
    const { cwd, run } = await shell(
      says(python('open("one", "w")', 'toolu_1'), python('open("two", "w")', 'toolu_2')),
      says('Done.'),
    );
    expect((await run('do it')).stderr).toMatch(
      /To go on: turnstile approve (\w{8}) --all, then turnstile resume \1$/m,
    );
    expect((await run('deny', 'last')).stderr).toMatch(/Which call\?.*toolu_1.*toolu_2/);
    expect((await run('deny', 'last', 'toolu_1')).code).toBe(0);
    expect((await run('runs', '--waiting', '--json')).stdout).toContain('"waiting_calls":["toolu_2"]');
    const hash = hashIn(await run('approve', 'last', 'toolu_2'));
    expect((await run('approve', 'last', 'toolu_2', '--input-hash', hash)).code).toBe(0);
    expect(JSON.parse((await run('runs', '--waiting', '--json')).stdout)).toEqual([]);
    expect((await run('resume', 'last')).stdout).toBe('Done.\n');
    expect(await madeIn(cwd)).toEqual(expect.arrayContaining(['two']));
    expect(await madeIn(cwd)).not.toContain('one');
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
      says: /decided already\. Go on with it: turnstile resume \w{8}$/m,
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
