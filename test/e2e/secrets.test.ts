import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says, toolUse } from '../../src/testing/index.ts';
import { folderWith, keyed, serverOf, transcriptIn, turnstile } from './command.ts';

const DOTENV =
  'ANTHROPIC_API_KEY=sk-of-the-file-01\nAWS_SECRET_ACCESS_KEY=aws-of-the-file\nPROXY=http://me:pass-of-the-file@proxy\n';
const SECRETS = ['sk-of-the-file-01', 'aws-of-the-file', 'pass-of-the-file'];

const journalIn = async (folder: string): Promise<string> => {
  const [name = ''] = await readdir(join(folder, '.turnstile/runs'));
  return readFile(join(folder, '.turnstile/runs', name), 'utf8');
};

describe('secrets of the file of --dotenv', () => {
  it.concurrent.each([
    { what: 'that has the key', env: {} },
    { what: 'whose key is not used', env: { ANTHROPIC_API_KEY: 'sk-test-0123456789' } },
  ])('$what are masked wherever it is read', async ({ env }) => {
    const folder = await folderWith({ '.env': DOTENV });
    const server = await serverOf([
      says(toolUse('read_file', { path: '.env' })),
      says(`It holds ${SECRETS.join(', ')}.`),
    ]);
    const args = ['What is set?', '--tools', 'read_file', '--dotenv', '.env', '--transcript', 't.json'];
    const ended = await turnstile(args, {
      cwd: folder,
      env: { ANTHROPIC_BASE_URL: server.url, ...env },
    });
    expect(ended.code).toBe(0);
    const result = JSON.stringify((await transcriptIn(folder)).messages[2]);
    expect(result).toContain('AWS_SECRET_ACCESS_KEY=[redacted]');
    const transcript = await readFile(join(folder, 't.json'), 'utf8');
    const toolResult = (await journalIn(folder)).split('\n').find((line) => line.includes('"tool.finished"'));
    const sent = JSON.stringify(server.requests[1]?.body);
    for (const secret of SECRETS) {
      for (const text of [transcript, toolResult, sent, ended.stdout]) expect(text).not.toContain(secret);
    }
  });
});

it.concurrent('JSON stays whole where a secret is a number that occurs in it', async () => {
  const folder = await folderWith({ 'a.txt': 'it costs 50000000' });
  const server = await serverOf([says(toolUse('read_file', { path: 'a.txt' })), says('50000000')]);
  const args = ['do it', '--tools', 'read_file', '--max-usd', '0.05', '--output', 'stream-json'];
  const ended = await turnstile([...args, '--transcript', 't.json'], {
    cwd: folder,
    env: { ...keyed(server), X_TOKEN: '50000000' },
  });
  const lines = ended.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(lines[0]).toMatchObject({ limits: { budget: { nanoUsd: 50_000_000 } } });
  expect(lines.at(-1)).toMatchObject({ result: { answer: '[redacted]' } });
  expect(JSON.stringify((await transcriptIn(folder)).messages[2])).toContain('it costs [redacted]');
});

describe('output that is too long for a result', () => {
  it.concurrent.each([
    { flags: [], isTold: true },
    { flags: ['--quiet'], isTold: false },
  ])(
    'is kept by run and call, masked, and named in the journal and the transcript; with $flags it is told: $isTold',
    async ({ flags, isTold }) => {
      const folder = await folderWith();
      // Written in two parts: the code itself must not be what is masked.
      const code =
        'import sys; k = "sk-test-" + "0123456789"; sys.stdout.write("a" * 9_991 + k + "b" * 20_000)';
      const server = await serverOf([says(toolUse('run_python', { code }, 'toolu_kept')), says('Done.')]);
      const ended = await turnstile(['do it', '--yes', '--transcript', 't.json', ...flags], {
        cwd: folder,
        env: keyed(server),
      });
      const [name = ''] = await readdir(join(folder, '.turnstile/output'));
      const transcript = await transcriptIn(folder);
      expect(name).toBe(`${transcript.run_id}-toolu_kept.txt`);
      expect(transcript.turns[0]?.calls[0]?.output_file).toBe(name);
      expect(await journalIn(folder)).toContain(`"outputFile":"${name}"`);
      const path = join(folder, '.turnstile/output', name);
      expect(await readFile(path, 'utf8')).toBe(`${'a'.repeat(9_991)}[redacted]${'b'.repeat(20_000)}`);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      const result = JSON.stringify(transcript.messages[2]);
      expect(result).toContain('more of it in a file');
      expect(result).not.toContain('sk-test');
      expect(ended.stderr.includes(name)).toBe(isTold);
    },
  );
});

describe('--tool-timeout', () => {
  it.concurrent('of more than 24 days is not over at once', async () => {
    const folder = await folderWith();
    const server = await serverOf([says(toolUse('run_python', { code: 'print(6 * 7)' })), says('Done.')]);
    const args = ['do it', '--yes', '--tool-timeout', '3000000', '--transcript', 't.json'];
    const ended = await turnstile(args, { cwd: folder, env: keyed(server) });
    expect((await transcriptIn(folder)).turns[0]?.calls[0]?.outcome).toBe('succeeded');
    expect(ended.stderr).not.toContain('TimeoutOverflowWarning');
  });

  it.concurrent.each([
    { what: 'zero', seconds: '0' },
    { what: 'a negative number', seconds: '-1' },
    { what: 'no number', seconds: 'NaN' },
    { what: 'a number that is infinite in milliseconds', seconds: '9'.repeat(307) },
    { what: 'a number that is infinite', seconds: '9'.repeat(400) },
  ])('of $what is wrong use', async ({ seconds }) => {
    const ended = await turnstile(['do it', '--tool-timeout', seconds], { cwd: await folderWith() });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/--tool-timeout.*above 0/) });
  });
});
