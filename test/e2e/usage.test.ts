import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says, toolUse } from '../../src/testing/index.ts';
import { folderWith, keyed, serverOf, turnstile } from './command.ts';

interface Row {
  readonly use: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  /** What the error says. */
  readonly says: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

const WRONG: readonly Row[] = [
  { use: 'A08: a blank task', args: ['   '], says: /task is blank/ },
  { use: 'A08: a blank task on stdin', args: ['-'], stdin: '\n', says: /task is blank/ },
  { use: 'A08: an empty stdin', args: ['-'], says: /task is blank/ },
  { use: 'no task', args: [], says: /No task/ },
  { use: 'H10: two tasks', args: ['what', 'is this'], says: /one argument.*"what is this"/ },
  { use: 'a mistyped command', args: ['chrat'], says: /Did you mean chart/ },
  { use: 'a command behind options', args: ['--workdir', '.', 'demo'], says: /a command comes first/ },
  {
    use: 'options behind the --',
    args: ['--', '-x', '--model', 'm'],
    says: /turnstile --model m -- "-x"/,
  },
  { use: 'two words, the first with a dash', args: ['--', '-x', 'y'], says: /turnstile -- "-x y"/ },
  { use: 'H10: turns that are no number', args: ['do it', '--max-turns', 'abc'], says: /whole number/ },
  { use: 'H10: negative turns', args: ['do it', '--max-turns=-1'], says: /whole number/ },
  { use: 'B07: no turns', args: ['do it', '--max-turns', '0'], says: /whole number/ },
  { use: 'B07: one and a half turns', args: ['do it', '--max-turns', '1.5'], says: /whole number/ },
  { use: 'H10: a flag without its value', args: ['do it', '--max-turns'], says: /argument missing/ },
  { use: 'H10: an unknown flag', args: ['do it', '--nope'], says: /unknown option '--nope'/ },
  {
    use: 'an unknown tool',
    args: ['do it', '--tools', 'fly'],
    says: /No tool fly.*read_file, list_files.*run_python/,
  },
  { use: 'an unknown effort', args: ['do it', '--effort', 'huge'], says: /low, medium, high/ },
  { use: 'a base URL that is none', args: ['do it', '--base-url', 'nowhere'], says: /http/ },
  {
    use: 'H10: a workdir that is not there',
    args: ['do it', '--workdir', 'gone'],
    says: /gone is not there/,
  },
  { use: 'a workdir that is a file', args: ['do it', '--workdir', 'a.txt'], says: /a.txt is no folder/ },
  { use: '--yes with --on-ask', args: ['do it', '--yes', '--on-ask', 'deny'], says: /contradict/ },
  { use: '--quiet with --verbose', args: ['do it', '--quiet', '--verbose'], says: /contradict/ },
  {
    use: 'a budget in USD without a price',
    args: ['do it', '--model', 'own-model', '--max-usd', '1'],
    says: /--price/,
  },
  { use: 'a price that is none', args: ['do it', '--price', 'cheap'], says: /in=/ },
  {
    use: 'a transcript in no folder',
    args: ['do it', '--transcript', 'gone/t.json'],
    says: /--transcript: gone\/t.json cannot be written: its folder is not there/,
  },
  { use: 'a transcript that is a folder', args: ['do it', '--transcript', '.'], says: /is a folder/ },
  { use: 'a transcript that is a pipe', args: ['do it', '--transcript', 'pipe'], says: /no regular file/ },
  { use: 'a transcript on stdout', args: ['do it', '--transcript', '-'], says: /--output json/ },
  { use: 'a blank transcript', args: ['do it', '--transcript', ''], says: /must not be blank/ },
  { use: 'a blank workdir', args: ['do it', '--workdir', ''], says: /must not be blank/ },
  { use: 'a blank model', args: ['do it', '--model', ' '], says: /must not be blank/ },
  { use: 'a blank state folder', args: ['do it', '--state-dir', ''], says: /must not be blank/ },
  {
    use: 'a state folder where none can be made',
    args: ['do it', '--tools', 'read_file', '--state-dir', '/proc/turnstile-none'],
    says: /--state-dir/,
  },
  {
    use: 'a rule for an unknown tool',
    args: ['do it', '--deny', 'run_pyton'],
    says: /No tool run_pyton.*edit_file, run_python/,
  },
  {
    use: 'a rule for an unknown tool, among others',
    args: ['do it', '--allow', 'read_file', '--allow', 'Read_file'],
    says: /No tool Read_file/,
  },
  { use: 'a python that is not there', args: ['do it', '--python', './gone'], says: /--python: .\/gone/ },
  { use: 'a python that is none', args: ['do it', '--python', '/bin/echo'], says: /--python: \/bin\/echo/ },
  { use: 'a script that is not there', args: ['do it', '--model', 'scripted:gone.json'], says: /gone.json/ },
  {
    use: 'a script that is no list',
    args: ['do it', '--model', 'scripted:s.json'],
    says: /must be a JSON list/,
  },
  { use: 'a dotenv file that is not there', args: ['do it', '--dotenv', 'gone.env'], says: /gone.env/ },
  { use: 'the same by its other name', args: ['do it', '--env-file', 'gone.env'], says: /gone.env/ },
  { use: 'a system file that is not there', args: ['do it', '--system', 'gone.txt'], says: /gone.txt/ },
  {
    use: 'an address with a password',
    args: ['do it', '--base-url', 'http://me:pass-of-mine@127.0.0.1:1'],
    says: /holds a user or a password.*Leave them out/,
  },
  {
    use: 'an address that is none',
    args: ['do it'],
    env: { ANTHROPIC_BASE_URL: 'localhost:1' },
    says: /ANTHROPIC_BASE_URL is no http/,
  },
  {
    use: 'a key that no header takes',
    args: ['do it'],
    env: { ANTHROPIC_API_KEY: 'sk-of-mine-01\nx' },
    says: /ANTHROPIC_API_KEY holds a character that no header takes/,
  },
  { use: 'no python for run_python', args: ['do it'], env: { PATH: '/nowhere' }, says: /--tools read_file/ },
];

describe('wrong use', () => {
  it.concurrent.each(WRONG)(
    '$use: exit 2, nothing on stdout, no request',
    async ({ args, stdin, says: words, env }) => {
      const folder = await folderWith({ 'a.txt': '', 's.json': '{}' });
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      const server = await serverOf([says('Done.')]);
      const ended = await turnstile(args, {
        cwd: folder,
        env: { ...keyed(server), ...env },
        ...(stdin !== undefined && { stdin }),
      });
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toMatch(words);
      expect(ended.stderr).not.toMatch(/^\s+at /m);
      expect(server.requests).toEqual([]);
    },
  );

  it('H10: without a key is refused at once, and names the three ways on', async () => {
    const ended = await turnstile(['do it'], { cwd: await folderWith() });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    for (const way of ['ANTHROPIC_API_KEY', '--base-url', 'turnstile demo'])
      expect(ended.stderr).toContain(way);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });

  it.each([
    { args: ['--help'], on: /Usage: turnstile/ },
    { args: ['run', '--help'], on: /--max-turns/ },
    { args: ['--version'], on: /^\d+\.\d+\.\d+\n$/ },
    // C17: what a budget in tokens counts.
    {
      args: ['run', '--help'],
      on: /--token-budget.*cache\s+reads\s+and\s+writes\s+included.*every\s+request,\s+added\s+up/s,
    },
  ])('H10: $args is answered on stdout with exit 0', async ({ args, on }) => {
    const ended = await turnstile(args, { cwd: await folderWith() });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(on);
  });
});

describe('--max-turns', () => {
  it.each([7, 12])('B07: %d are asked, be it more or fewer than the default of 10', async (turns) => {
    const replies = Array.from({ length: 20 }, (_, index) =>
      says(toolUse('read_file', { path: `${index}.txt` })),
    );
    const server = await serverOf(replies);
    const ended = await turnstile(['do it', '--tools', 'read_file', '--max-turns', String(turns)], {
      cwd: await folderWith(),
      env: keyed(server),
    });
    expect(ended.code).toBe(3);
    expect(server.requests).toHaveLength(turns);
  });
});

describe('a task', () => {
  it.each([
    { how: 'stands behind --', args: ['--', 'chart'], task: 'chart' },
    { how: 'may begin with a dash behind --', args: ['--', '-5 + 3?'], task: '-5 + 3?' },
    { how: 'comes from stdin for -', args: ['-'], stdin: '平均分是多少？\n', task: '平均分是多少？\n' },
    { how: 'is asked by the command run, too', args: ['run', 'demo'], task: 'demo' },
  ])('$how', async ({ args, stdin, task }) => {
    const server = await serverOf([says('Done.')]);
    const ended = await turnstile(
      ['--tools', 'read_file', ...args].toSorted((a) => (a === 'run' ? -1 : 0)),
      {
        cwd: await folderWith(),
        env: keyed(server),
        ...(stdin !== undefined && { stdin }),
      },
    );
    expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(server.requests[0]?.body).toMatchObject({
      messages: [{ role: 'user', content: [{ type: 'text', text: task }] }],
    });
  });
});
