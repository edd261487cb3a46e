import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says, toolUse } from '../../src/testing/index.ts';
import { folderWith, turnstile } from './command.ts';
import { python, shell } from './shell.ts';

const denyOs = { tool: 'run_python', verdict: 'deny', match: { argument: 'code', contains: 'os' } };
const inFolder = async (file: string, ...args: readonly string[]) =>
  turnstile(args, { cwd: await folderWith({ 'turnstile.json': file }) });
const hashOf = (file: string): string => createHash('sha256').update(file).digest('hex');

describe.concurrent('turnstile.json', () => {
  it.each([
    { key: 'rules', file: { rules: [{ tool: 'run_python', verdict: 'allow' }] } },
    { key: 'yes', file: { yes: true } },
    { key: 'baseUrl', file: { baseUrl: 'http://127.0.0.1:1' } },
    { key: 'dotenv', file: { dotenv: '.env' } },
    { key: 'python', file: { python: './python3' } },
  ])(
    'that loosens by $key is wrong use that names it, until it is trusted as it is',
    async ({ key, file }) => {
      const text = JSON.stringify(file);
      const refused = await inFolder(text, 'rules');
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(new RegExp(`would loosen.*: ${key}`));
      expect(refused.stderr).toContain(`--trust ${hashOf(text)}`);
      expect((await inFolder(text, 'rules', '--trust', hashOf(text))).code).toBe(0);
      const changed = await inFolder(`${text} `, 'rules', '--trust', hashOf(text));
      expect(changed).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('not the file with this hash'),
      });
    },
  );

  it.each([
    { file: '{"apiKey":"x"}', says: /apiKey is not taken from a file, not even with --trust/ },
    { file: '{"stateDir":"x"}', says: /stateDir is not taken from a file/ },
    { file: '{"sandbox":"none"}', says: /sandbox is not taken from a file/ },
    { file: '{"maxTurn":3}', says: /maxTurn.*\n?.*It takes: rules, maxUsd/s },
    { file: '{"rules":[{"tool":"x y","verdict":"deny"}]}', says: /A tool has letters/ },
    { file: '{"rules":[{"tool":"t","verdict":"deny","match":{"argument":"a","regex":"("}}]}', says: /RE2/ },
    { file: '[]', says: /turnstile.json is wrong/ },
    { file: `${'['.repeat(40_000)}${']'.repeat(40_000)}`, says: /turnstile.json is wrong/ },
    { file: 'null', says: /turnstile.json is wrong/ },
    { file: '{', says: /turnstile.json is no JSON/ },
    { file: '\u001b]0;x\u0007', says: /turnstile.json is no JSON/ },
    { file: ' '.repeat(100_001), says: /more than 100000 bytes/ },
    { file: '{"__proto__":{"yes":true}}', says: /turnstile.json is wrong/ },
    { file: '{"maxUsd":1,"maxUs\\u0064":9}', says: /has a key twice in one object/ },
    { file: '{"maxUsd":1} // a comment', says: /turnstile.json is no JSON/ },
  ])('that holds $file is wrong use, and nothing starts', async ({ file, says: what }) => {
    const { code, stderr } = await inFolder(file, 'do it', '--trust', hashOf(file));
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(what) });
    expect(stderr).not.toContain('\u001b');
  });

  it('that is a pipe is not waited for, and one that is missing is not trusted', async () => {
    const cwd = await folderWith();
    expect((await turnstile(['rules', '--trust', hashOf('')], { cwd })).stderr).toMatch(
      /there is no turnstile.json here/,
    );
    spawnSync('mkfifo', [join(cwd, 'turnstile.json')]);
    expect(await turnstile(['rules'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no regular file/),
    });
  });

  it('that has a mark of its encoding is read, and one that is a folder is wrong use', async () => {
    expect((await inFolder('\uFEFF{"rules":[]}', 'rules')).code).toBe(0);
    const folder = await folderWith({ 'turnstile.json/a': '' });
    expect((await turnstile(['rules'], { cwd: folder })).stderr).toMatch(/no regular file/);
  });

  it.runIf(existsSync('/proc/kallsyms'))(
    'that says it is empty, and is not, is not read to its end',
    async () => {
      const cwd = await folderWith();
      await symlink('/proc/kallsyms', join(cwd, 'turnstile.json'));
      expect((await turnstile(['rules'], { cwd })).stderr).toMatch(/more than 100000 bytes/);
    },
  );

  it('tightens a run, also one with --yes; show and the journal say which rule it was', async () => {
    const { run, cwd, journal, requests } = await shell(says(python('import os', 'toolu_1')), says('Done.'));
    await writeFile(join(cwd, 'turnstile.json'), JSON.stringify({ rules: [denyOs] }));
    expect(await run('do it', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/denied by the rule deny run_python\(code\*=os\)/),
    });
    expect(JSON.stringify(requests[1]?.body)).toContain('A rule of this run denies this call of run_python.');
    const [header, called] = await journal();
    expect(header).toMatchObject({ rules: [denyOs] });
    expect(called).toMatchObject({ calls: [{ verdict: 'deny', rule: 'deny run_python(code*=os)' }] });
    expect((await run('show', 'last')).stdout).toMatch(/✗ denied.*denied by the rule deny run_python/);
  });

  it('sends nothing where it would loosen, and does not loosen a run that goes on', async () => {
    const read = says(toolUse('read_file', { path: 'a.txt' }, 'toolu_1'));
    const { run, cwd, requests, journal } = await shell(says('One.'), read, says('Two.'));
    await run('do it', '--deny', 'read_file');
    const file = join(cwd, 'turnstile.json');
    await writeFile(file, JSON.stringify({ rules: [{ tool: 'read_file', verdict: 'allow' }] }));
    expect(await run('resume', 'last', 'more')).toMatchObject({ code: 2 });
    expect(await run('do it')).toMatchObject({ code: 2 });
    expect(requests).toHaveLength(1);
    await writeFile(file, JSON.stringify({ rules: [{ tool: 'read_file', verdict: 'ask' }] }));
    await run('resume', 'last', 'more', '--yes');
    expect(await journal()).toContainEqual(
      expect.objectContaining({ calls: [expect.objectContaining({ verdict: 'deny' })] }),
    );
  });
});

describe.concurrent('turnstile rules', () => {
  const files = { 'turnstile.json': JSON.stringify({ rules: [denyOs] }) };
  const rules = async (...args: readonly string[]) =>
    turnstile(['rules', ...args], { cwd: await folderWith(files) });

  it('lists the rules in the order in which they decide, with their sources and the defaults', async () => {
    expect(await rules('--allow', 'read_file(path=a/**)', '--ask', '*')).toMatchObject({
      code: 0,
      stdout: [
        'deny run_python(code*=os)  (turnstile.json)',
        'ask *  (--ask)',
        'allow read_file(path=a/**)  (--allow)',
        'else allow read_file',
        'else allow list_files',
        'else allow search_files',
        'else ask run_python',
        '',
      ].join('\n'),
      stderr: 'Warning: The rule "allow read_file(path=a/**)" never decides: "ask *" is stronger.\n',
    });
  });

  it.each([
    { call: 'run_python {"code":"import os"}', args: ['--yes'], out: /^deny: .*\(turnstile.json\)\n$/ },
    { call: 'run_python {"code":"1"}', args: [], out: /^ask: no rule.*with effects is asked for\n$/ },
    { call: 'run_python {"code":"1"}', args: ['--yes'], out: /^allow: --yes\n$/ },
    {
      call: 'run_python {"code":"1"}',
      args: ['--net', 'allow'],
      out: /^ask: .*\(--net allow\)\n$/,
    },
    { call: 'read_file {"path":"a"}', args: [], out: /^allow: no rule.*without effects/ },
    { call: 'read_file {"path":"./b/../a"}', args: ['--ask', 'read_file(path=a)'], out: /^ask: .*\(--ask\)/ },
    {
      call: 'read_file {"path":"a"}',
      args: ['--ask', '*(path~=/^a$/)', '--json'],
      out: /^{"verdict":"ask","rule":"ask \*\(path~=\/\^a\$\/\)","source":"--ask"}\n$/,
    },
  ])('check $call with $args says which rule decides', async ({ call, args, out }) => {
    expect(await rules('check', call, ...args)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(out),
      stderr: '',
    });
  });

  it.each([
    { args: ['chek'], says: /Write: turnstile rules check/ },
    { args: ['check'], says: /Write: turnstile rules check/ },
    { args: ['check', 'read_file', '{"path":"a"}'], says: /Write: turnstile rules check/ },
    { args: ['check', 'read_file'], says: /is no call. Write the tool, a space/ },
    { args: ['check', 'read_file {'], says: /no JSON/ },
    { args: ['check', 'read_file {}'], says: /would not run.*path/s },
    { args: ['check', 'fly {}'], says: /no tool "fly"/ },
    { args: ['check', 'read_file {"path":"a"}', '--workdir', 'gone'], says: /--workdir/ },
    { args: ['--deny', 'read_file(path=)'], says: /no rule. Write TOOL/ },
    { args: ['--deny', 'raed_file'], says: /No tool raed_file/ },
    { args: ['--deny', 'read_file(path~=/(?=a)/)'], says: /no look-around/ },
  ])('$args is wrong use, and the error says why', async ({ args, says: what }) => {
    expect(await rules(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(what) });
  });

  it.each([
    { rule: 'read_file(pth=a)', says: /can never match. read_file has no argument pth/ },
    { rule: 'read_file(from_line>1)', says: /can never match. The argument from_line is no text/ },
  ])('warns of $rule', async ({ rule, says: what }) => {
    expect((await rules('--deny', rule)).stderr).toMatch(what);
  });
});
