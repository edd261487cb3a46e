import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fails, rawToolUse, says, toolUse, type Reply } from '../../src/testing/index.ts';
import { folderWith, keyed, serverOf, transcriptIn, turnstile } from './command.ts';

const BIN = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const soon = { headers: { 'retry-after-ms': '1' } };
const KEY = 'sk-test-0123456789';

const FAILURES: readonly { readonly name: string; readonly reply: Reply; readonly requests: number }[] = [
  { name: '401', reply: fails(401, 'authentication_error', `invalid key ${KEY}`), requests: 1 },
  { name: '429 for ever', reply: fails(429, 'rate_limit_error', 'slow down', soon), requests: 5 },
  { name: '529 for ever', reply: fails(529, 'overloaded_error', 'Overloaded', soon), requests: 5 },
  {
    name: 'an HTML page',
    reply: fails(403, '', '', { html: '<html><body>Blocked</body></html>' }),
    requests: 1,
  },
];

describe('a failure', () => {
  it.concurrent.each(FAILURES.flatMap((row) => ['text', 'json'].map((output) => ({ ...row, output }))))(
    'H01: $name with --output $output has exit 7, the reason on stderr, and no answer on stdout',
    async (row) => {
      const server = await serverOf([row.reply]);
      const ended = await turnstile(['do it', '--tools', 'read_file', '--output', row.output], {
        cwd: await folderWith(),
        env: keyed(server),
      });
      expect(ended.code).toBe(7);
      if (row.output === 'text') expect(ended.stdout).toBe('');
      else
        expect(JSON.parse(ended.stdout)).toMatchObject({ reason: 'model_failed', answer: '', exit_code: 7 });
      expect(ended.stdout).not.toContain(KEY);
      expect(ended.stderr).toContain('model_failed:');
      expect(ended.stderr).not.toContain(KEY);
      expect(server.requests).toHaveLength(row.requests);
    },
  );

  it.concurrent.each(['text', 'json', 'stream-json'])(
    'H03: has the same exit code with --output %s',
    async (output) => {
      const server = await serverOf([fails(400, 'invalid_request_error', 'bad')]);
      const ended = await turnstile(['do it', '--tools', 'read_file', '--output', output], {
        cwd: await folderWith(),
        env: keyed(server),
      });
      expect(ended.code).toBe(7);
      const last = ended.stdout.trim().split('\n').at(-1) ?? '';
      if (output === 'json') expect(JSON.parse(last)).toMatchObject({ reason: 'model_failed', exit_code: 7 });
      if (output === 'stream-json') {
        expect(JSON.parse(last)).toMatchObject({ type: 'run.ended', result: { reason: 'model_failed' } });
      }
    },
  );
});

describe('stdout', () => {
  it('H04: holds JSON and nothing else, whatever there is to warn of', async () => {
    const server = await serverOf(
      [
        fails(529, 'overloaded_error', 'Overloaded', soon),
        says(toolUse('run_python', { code: 'print(1)' })),
        says('Done.'),
      ],
      { models: ['own-model'] },
    );
    const ended = await turnstile(
      ['do it', '--model', 'own-model', '--yes', '--sandbox', 'none', '--output', 'json'],
      {
        cwd: await folderWith(),
        env: keyed(server),
      },
    );
    expect(JSON.parse(ended.stdout)).toMatchObject({ answer: 'Done.', cost_usd: null });
    expect(ended.stderr).toMatch(/--yes approves all code/);
    expect(ended.stderr).toMatch(/Overloaded.*Trying again/);
  });

  it('of stream-json begins with the header, ends with the outcome, and is one document a line', async () => {
    const server = await serverOf([says(toolUse('read_file', { path: 'a.txt' })), says('Done.')]);
    const ended = await turnstile(['do it', '--tools', 'read_file', '--output', 'stream-json'], {
      cwd: await folderWith({ 'a.txt': 'x' }),
      env: keyed(server),
    });
    const lines = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string });
    expect(lines.map(({ type }) => type)).toEqual([
      'run.started',
      'model.called_tools',
      'tool.started',
      'tool.finished',
      'model.answered',
      'run.ended',
    ]);
  });

  it('H06: may be closed by its reader; the run ends quietly and the transcript is whole', async () => {
    const folder = await folderWith();
    const server = await serverOf([says('x'.repeat(2_000_000))]);
    const command = `set -o pipefail; "${process.execPath}" "${BIN}" "do it" --tools read_file --transcript t.json | head -c 1`;
    for (let time = 0; time < 3; time += 1) {
      const ended = await promisify(execFile)('bash', ['-c', command], {
        cwd: folder,
        env: { PATH: process.env['PATH'], ...keyed(server) },
      });
      expect(ended.stdout).toBe('x');
      expect(ended.stderr).not.toMatch(/EPIPE|^\s+at /m);
      expect((await transcriptIn(folder)).result).toMatchObject({ reason: 'end_turn' });
    }
  });
});

describe('what the model says', () => {
  it.each([
    { what: 'a path', replies: [says(rawToolUse('read_file', [String.raw`{"path": "\ud800.txt"}`]))] },
    {
      what: 'a field name',
      replies: [says(rawToolUse('read_file', [String.raw`{"path": "a", "x\udfff": 1}`]))],
    },
    { what: 'input that is no JSON', replies: [says(rawToolUse('read_file', ['{"path": "\ud800']))] },
    { what: 'a tool name', replies: [says(toolUse('fly\ud800'))] },
    { what: 'its text', replies: [says('a \ud83d b', toolUse('read_file', { path: 'a.txt' }))] },
  ])('goes back as well-formed text, though half a character is in $what (A20)', async ({ replies }) => {
    const server = await serverOf([...replies, says('Done.')]);
    const ended = await turnstile(['do it', '--tools', 'read_file'], {
      cwd: await folderWith(),
      env: keyed(server),
    });
    expect(server.requests.map(({ refusal }) => refusal)).toEqual([null, null]);
    expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });
});

describe('what is kept', () => {
  it('D14: never holds the key, wherever the model or a server brings it', async () => {
    const folder = await folderWith({ 'work/key.txt': `key: ${KEY}` });
    const server = await serverOf([
      says(toolUse('read_file', { path: 'key.txt' })),
      fails(400, 'invalid_request_error', `key ${KEY} is bad`),
    ]);
    const ended = await turnstile(
      [
        'do it',
        '--workdir',
        'work',
        '--tools',
        'read_file',
        '--transcript',
        't.json',
        '--output',
        'stream-json',
        '--verbose',
      ],
      { cwd: folder, env: keyed(server) },
    );
    const [journal = ''] = await readdir(join(folder, '.turnstile/runs'));
    const kept = await Promise.all(
      ['t.json', join('.turnstile/runs', journal)].map((file) => readFile(join(folder, file), 'utf8')),
    );
    for (const text of [...kept, ended.stdout, ended.stderr, JSON.stringify(server.requests[1]?.body)]) {
      expect(text).not.toContain(KEY);
      expect(text.length).toBeGreaterThan(0);
    }
    expect(JSON.stringify(server.requests[1]?.body)).toContain('[redacted]');
  });

  it('is readable by its owner only, hidden from git, and out of the reach of tools', async () => {
    const folder = await folderWith();
    const server = await serverOf([
      says(toolUse('read_file', { path: '.turnstile/.gitignore' }), toolUse('read_file', { path: '.' })),
      says('Done.'),
    ]);
    await turnstile(['do it', '--tools', 'read_file'], { cwd: folder, env: keyed(server) });
    const [journal = ''] = await readdir(join(folder, '.turnstile/runs'));
    expect((await stat(join(folder, '.turnstile/runs', journal))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, '.turnstile/.gitignore'), 'utf8')).toBe('*\n');
    const results = JSON.stringify(server.requests[1]?.body);
    expect(results).toContain('belongs to the program that runs you');
    expect(results).not.toContain('.turnstile/,');
  });

  it('is out of the reach of tools in a state folder of another name, too', async () => {
    const folder = await folderWith();
    const server = await serverOf([
      says(toolUse('read_file', { path: 'state/.gitignore' }), toolUse('read_file', { path: '.' })),
      says('Done.'),
    ]);
    await turnstile(['do it', '--tools', 'read_file', '--state-dir', 'state', '--effort', 'none'], {
      cwd: folder,
      env: keyed(server),
    });
    const results = JSON.stringify(server.requests[1]?.body);
    expect(results).toContain('belongs to the program that runs you');
    expect(results).not.toContain('state/,');
    expect(server.requests[0]?.body).not.toHaveProperty('output_config');
  });

  it('is the answer, too, when the transcript cannot be written in the end', async () => {
    const folder = await folderWith({ 'out/x': '' });
    const server = await serverOf([{ kind: 'slow', ms: 300, reply: says('Done.') }]);
    const ended = await turnstile(['do it', '--tools', 'read_file', '--transcript', 'out/t.json'], {
      cwd: folder,
      env: keyed(server),
      onStart: () => {
        const timer = setInterval(() => {
          if (server.requests.length === 0) return;
          clearInterval(timer);
          rmSync(join(folder, 'out'), { recursive: true });
        }, 20);
      },
    });
    expect(ended).toMatchObject({ code: 1, stdout: 'Done.\n' });
    expect(ended.stderr).toMatch(/transcript out\/t.json could not be written/);
  });

  it('C20: says null where the API said nothing, and that the total is incomplete', async () => {
    const folder = await folderWith();
    const server = await serverOf([
      { kind: 'message', content: [{ type: 'text', text: 'Done.' }], usage: null },
    ]);
    await turnstile(['do it', '--tools', 'read_file', '--transcript', 't.json'], {
      cwd: folder,
      env: keyed(server),
    });
    const transcript = await transcriptIn(folder);
    expect(transcript.turns).toMatchObject([{ usage: null, cost_usd: null }]);
    expect(transcript.result).toMatchObject({ is_usage_incomplete: true });
  });
});
