import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createMachine } from 'xstate';
import { describe, expect, it } from 'vitest';
import { agentLoop } from '../../machines/index.ts';
import { transitionsOf } from '../../src/chart/transitions.ts';
import { says } from '../../src/testing/index.ts';
import { folderWith, serverOf, transcriptIn, turnstile } from './command.ts';

const DEMOS = [
  { scenario: 'basic', code: 0, answer: '平均分是 81.5。' },
  { scenario: 'parallel', code: 0, answer: 'Spring: The plum tree' },
  { scenario: 'correction', code: 0, answer: 'In scores.csv, which I read instead, the best score is 95.' },
  { scenario: 'refused-path', code: 0, answer: '"/etc/passwd" is outside the workspace' },
  { scenario: 'denial', code: 0, answer: 'The code was not run' },
  { scenario: 'turn-limit', code: 3, answer: 'I could not finish' },
];

describe('turnstile demo', () => {
  it.concurrent.each(DEMOS)(
    '$scenario needs no key and ends with exit $code',
    async ({ scenario, code, answer }) => {
      const folder = await folderWith();
      const ended = await turnstile(['demo', scenario], { cwd: folder });
      expect(ended.code).toBe(code);
      expect(ended.stdout).toContain(answer);
      expect(ended.stderr).toContain('The model is scripted');
      const { turns, result } = await transcriptIn(folder, 'demo.transcript.json');
      for (const turn of turns) {
        expect(turn.stop_reason).toEqual(expect.any(String));
        expect(turn.usage).toMatchObject({ input_tokens: expect.any(Number) });
      }
      expect(result).toMatchObject({ state: 'stopped' });
    },
  );

  it('reads the parallel notes in one turn and answers both in one message, in the order of the calls', async () => {
    const folder = await folderWith();
    await turnstile(['demo', 'parallel'], { cwd: folder });
    const { messages } = await transcriptIn(folder, 'demo.transcript.json');
    expect(messages[2]?.content).toMatchObject([{ type: 'tool_result' }, { type: 'tool_result' }]);
    const ids = messages[1]?.content.filter(({ type }) => type === 'tool_use').map((block) => block['id']);
    expect(messages[2]?.content.map((block) => block['tool_use_id'])).toEqual(ids);
  });

  it('runs the code of the denial scenario when it is approved', async () => {
    const ended = await turnstile(['demo', 'denial', '--yes'], { cwd: await folderWith() });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain('sample: 10.09');
  });

  it('names the way on that a demo has, where nobody can be asked', async () => {
    const { stderr } = await turnstile(['demo', 'denial'], { cwd: await folderWith() });
    expect(stderr).toContain('nobody could be asked: stdin is no terminal. To let it run: --yes.');
  });

  it('lists the scenarios, and names them when there is none of that name', async () => {
    const cwd = await folderWith();
    expect((await turnstile(['demo', 'list'], { cwd })).stdout).toMatch(/basic .*\n.*parallel/);
    expect(await turnstile(['demo', 'nope'], { cwd })).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a script of a user', () => {
  const script = JSON.stringify([
    { call: [{ tool: 'read_file', input: { path: 'scores.csv' } }] },
    { say: 'Mean {{mean last_result column=score}} of {{count last_result column=score}}.' },
  ]);

  it.each([
    { csv: 'name,score\na,1\nb,2\n', answer: 'Mean 1.5 of 2.\n' },
    { csv: 'name,score\na,1\nb,2\nc,6\n', answer: 'Mean 3 of 3.\n' },
  ])('computes what the file really has: $answer', async ({ csv, answer }) => {
    const cwd = await folderWith({ 's.json': script, 'work/scores.csv': csv });
    const args = ['average?', '--model', 'scripted:s.json', '--workdir', 'work', '--tools', 'read_file'];
    expect(await turnstile(args, { cwd })).toMatchObject({ code: 0, stdout: answer });
  });
});

describe('a script', () => {
  const play = async (script: unknown, args: readonly string[] = []) => {
    const cwd = await folderWith({ 's.json': JSON.stringify(script) });
    return turnstile(['do it', '--model', 'scripted:s.json', '--tools', 'read_file', ...args], { cwd });
  };

  it('that cannot go on is told as such, and not as an answer of a server', async () => {
    const ended = await play([{ say: '{{last_result}}' }]);
    expect(ended).toMatchObject({ code: 7, stdout: '' });
    expect(ended.stderr).toContain(
      'The script s.json cannot go on at turn 1: {{last_result}}: there is no result yet.',
    );
    expect(ended.stderr).not.toContain('127.0.0.1');
  });

  it('may fail and succeed on the retry', async () => {
    const fail = { status: 529, type: 'overloaded_error', message: 'Overloaded' };
    expect(await play([{ fail }, { say: 'Done.' }])).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });

  it('may pause and go on', async () => {
    const ended = await play([{ say: 'First.', stop_reason: 'pause_turn' }, { say: 'Then.' }]);
    expect(ended).toMatchObject({ code: 0, stdout: 'First.\n\nThen.\n' });
  });

  it('costs what --price says', async () => {
    const usage = { input_tokens: 1_000_000, output_tokens: 0 };
    const ended = await play([{ say: 'Done.', usage }], ['--price', 'in=7,out=1', '--output', 'json']);
    expect(JSON.parse(ended.stdout)).toMatchObject({ cost_usd: 7 });
  });
});

describe('turnstile chart', () => {
  it('prints JSON from which the same machine can be made', async () => {
    const { stdout } = await turnstile(['chart', '--format', 'json'], { cwd: await folderWith() });
    // The names of guards and actions are enough to list the transitions.
    const config = JSON.parse(stdout) as Parameters<typeof createMachine>[0];
    expect(transitionsOf(createMachine(config))).toEqual(transitionsOf(agentLoop));
  });

  it('prints Mermaid', async () => {
    const { stdout } = await turnstile(['chart'], { cwd: await folderWith() });
    expect(stdout).toMatch(/^stateDiagram-v2\n/);
    expect(stdout).toContain('isOverBudget');
  });
});

describe('turnstile doctor', () => {
  interface Report {
    readonly ok: boolean;
    readonly checks: readonly {
      readonly name: string;
      readonly status: string;
      readonly required: boolean;
      readonly detail: string;
    }[];
  }

  const KEY = { ANTHROPIC_API_KEY: 'sk-very-secret' };
  const TOKEN = { ANTHROPIC_AUTH_TOKEN: 'sk-very-secret' };

  it.concurrent.each([
    { machine: 'a key and a server', env: KEY, ok: true, key: 'ok', url: 'ok' },
    { machine: 'a token and a server', env: TOKEN, ok: true, key: 'ok', url: 'ok' },
    { machine: 'a wrong key', env: KEY, apiKeys: ['another'], ok: false, key: 'ok', url: 'failed' },
    { machine: 'a server that needs no key', env: {}, ok: true, key: 'missing', url: 'ok' },
    { machine: 'a server that needs one', env: {}, apiKeys: ['a'], ok: false, key: 'missing', url: 'failed' },
    {
      machine: 'a server that is not there',
      env: KEY,
      at: 'http://127.0.0.1:1',
      ok: false,
      key: 'ok',
      url: 'failed',
    },
    { machine: 'neither key nor server', env: {}, at: null, ok: false, key: 'failed' },
    {
      machine: 'no python',
      env: { ...KEY, PATH: '/none' },
      ok: false,
      key: 'ok',
      url: 'ok',
      python: 'failed',
    },
  ])('with $machine: a run could start is $ok', async ({ env, apiKeys, at, ok, key, url, python = 'ok' }) => {
    const server = await serverOf([says('Done.')], apiKeys === undefined ? {} : { apiKeys });
    const args = at === null ? [] : ['--base-url', at ?? server.url];
    const ended = await turnstile(['doctor', '--json', ...args], { cwd: await folderWith(), env });
    expect(ended.stdout).not.toContain('sk-very-secret');
    expect(ended.code).toBe(ok ? 0 : 1);
    const report = JSON.parse(ended.stdout) as Report;
    expect(report.ok).toBe(ok);
    const status = Object.fromEntries(report.checks.map((check) => [check.name, check.status]));
    expect(status).toMatchObject({ node: 'ok', python3: python, key, terminal: 'missing' });
    if (url !== undefined) expect(status).toMatchObject({ 'base URL': url });
    for (const check of report.checks) {
      if (check.status === 'failed') expect(check.required).toBe(true);
      if (check.status === 'missing') expect(check.required).toBe(false);
    }
  });

  it('reaches a server also where Python is slow to begin', async () => {
    const server = await serverOf([says('Done.')]);
    const folder = await folderWith({
      python3: '#!/bin/sh\nsleep 3.2\nexec /usr/bin/env -i /usr/bin/python3 "$@"\n',
    });
    await chmod(join(folder, 'python3'), 0o755);
    const { stdout } = await turnstile(['doctor', '--json', '--base-url', server.url], {
      cwd: await folderWith(),
      env: { ...KEY, PATH: `${folder}:/usr/bin:/bin` },
    });
    const { checks } = JSON.parse(stdout) as Report;
    expect(checks.find(({ name }) => name === 'base URL')?.status).toBe('ok');
  });

  it('says in words what is required and what is not', async () => {
    const { stdout } = await turnstile(['doctor', '--base-url', 'http://127.0.0.1:1'], {
      cwd: await folderWith(),
    });
    expect(stdout).toMatch(/^ok +node \(required\)/m);
    expect(stdout).toMatch(/^missing key \(optional\): neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN/m);
    expect(stdout).toMatch(/^failed +base URL \(required\): http:\/\/127.0.0.1:1 does not answer/m);
  });
});
