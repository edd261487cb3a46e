import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clean, drop, replaceText, set, type Lines } from '../verify/recorded.ts';
import { folderWith, turnstile } from './command.ts';

const jsonl = (lines: Lines): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const whole = jsonl(clean());
const messages = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
];

const verify = async (file: string, ...options: readonly string[]) =>
  turnstile(['verify', 'f', ...options], { cwd: await folderWith({ f: file }) });

describe('turnstile verify', () => {
  it('finds nothing in the journal and the transcript of a demo', async () => {
    const cwd = await folderWith();
    await turnstile(['demo', 'denial'], { cwd });
    const runs = join('.turnstile', 'runs');
    const [journal = ''] = (await readdir(join(cwd, runs))).filter((name) => name.endsWith('.jsonl'));
    for (const [file, kind] of [
      [join(runs, journal), 'journal'],
      ['demo.transcript.json', 'transcript'],
    ] as const) {
      const ended = await turnstile(['verify', file], { cwd });
      expect(ended).toMatchObject({ code: 0, stdout: '', stderr: `${file} is a ${kind}, and holds.\n` });
    }
    expect(await readFile(join(cwd, runs, journal), 'utf8')).toContain('run.ended');
  });

  it.concurrent.each([
    {
      what: 'each fault on a line of its own, with the line of the journal',
      file: jsonl(drop(11)(clean())),
      out: 'f:11: The call d starts, but nobody has approved it. (invariant 2)\n',
      err: 'f is a journal, and breaks the invariants in one place.\n',
    },
    {
      what: 'a lost header',
      file: jsonl(drop(1)(clean())),
      out: 'f:1: A journal begins with its header, run.started. (invariant 6)\n',
      err: /is a journal/,
    },
    {
      what: 'a line that is no JSON',
      file: whole.replace('{"type":"tool.started","callId":"b"', '{"type":"tool.st'),
      out: /^f:4: This is not JSON: it is no line of a journal\. \(invariant 0\)\n/,
      err: /places\.\n$/,
    },
    {
      what: 'a torn last line, which is no fault, and the end that it was to be',
      file: whole.slice(0, -20),
      out: 'f:14: The run has no end: its process died, or is still at work. (invariant 6)\n',
      err: /Its last line is torn and was left out\.\n$/,
    },
    {
      what: 'what a terminal would obey, written out',
      file: jsonl(replaceText('"d"', '"\\u001b[2J\\u202e"')(drop(11)(clean()))),
      out: /^f:11: The call \\u\{1b\}\[2J\\u\{202e\} starts/,
      err: /2 places/,
    },
    {
      what: 'the words of the API for a history',
      file: JSON.stringify(messages),
      out: /^f:1: The API refuses it: messages\.1: `tool_use` ids were found without .*: a\. .*\(invariant 1\)\n$/,
      err: /is a history/,
    },
    {
      what: 'the words of the API for a request',
      file: JSON.stringify({ max_tokens: 9, temperature: 0, messages: messages.slice(0, 1) }),
      out: 'f:1: The API refuses it: temperature: Extra inputs are not permitted (invariant 1)\n',
      err: /is a history/,
    },
  ])('names $what, and exits with 1', async ({ file, out, err }) => {
    const ended = await verify(file);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(out instanceof RegExp ? out : exactly(out));
    expect(ended.stderr).toMatch(err instanceof RegExp ? err : exactly(err));
  });

  it.concurrent.each([
    {
      what: 'a journal with the ends of lines and the mark of Windows',
      file: `\uFEFF${whole.replaceAll('\n', '\r\n')}`,
    },
    {
      what: 'a history that ends with the answer',
      file: JSON.stringify([messages[0], { role: 'assistant', content: 'Yo' }]),
    },
    {
      what: 'a request of the older version',
      file: JSON.stringify({ max_tokens: 9, temperature: 0, messages: messages.slice(0, 1) }),
      options: ['--api-version', '2023-06-01'],
    },
  ])('takes $what', async ({ file, options = [] }) => {
    expect(await verify(file, ...options)).toMatchObject({ code: 0, stdout: '' });
  });

  it('writes JSON for programs', async () => {
    const ended = await verify(jsonl(set(15, 'result.turns', 3)(clean())), '--json');
    expect(ended).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(ended.stdout)).toEqual({
      kind: 'journal',
      violations: [{ line: 15, invariant: 6, message: 'The outcome has turns 3; the facts lead to 4.' }],
      is_torn: false,
    });
  });

  it.concurrent.each([
    { what: 'no file', args: [], says: /missing required argument 'file'/ },
    { what: 'a file that is not there', args: ['gone'], says: /Cannot read gone: ENOENT/ },
    { what: 'a folder', args: ['.'], says: /Cannot read \.: EISDIR/ },
    { what: 'an empty file', args: ['empty'], says: /is no journal, no transcript and no history/ },
    { what: 'a text', args: ['text'], says: /a history is a JSON list of messages/ },
    { what: 'JSON of something else', args: ['other'], says: /is no journal, no transcript and no history/ },
    { what: 'brackets without end', args: ['deep'], says: /is no journal, no transcript and no history/ },
    { what: 'a version that is none', args: ['text', '--api-version', '1'], says: /2023-06-01, 2026-10-21/ },
  ])('of $what is wrong use: exit 2, and how to do it', async ({ args, says }) => {
    const cwd = await folderWith({ empty: '', text: 'Hi\n', other: '{"a":1}', deep: '['.repeat(200_000) });
    const ended = await turnstile(['verify', ...args], { cwd });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(says);
  });
});

const exactly = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`);
