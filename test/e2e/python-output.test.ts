import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says, toolUse } from '../../src/testing/index.ts';
import { folderWith, keyed, serverOf, transcriptIn, turnstile } from './command.ts';

/** Wherever a text is cut, behind one of these numbers of letters that is inside an emoji, of four bytes or two code units. */
const LETTERS = [9_996, 9_997, 9_998, 9_999];

async function play(
  call: ReturnType<typeof toolUse>,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
) {
  const files = LETTERS.map((letters) => [`work/${letters}.txt`, emoji(letters)]);
  const folder = await folderWith(Object.fromEntries(files));
  const server = await serverOf([says(call), says('Done.')]);
  const ended = await turnstile(
    ['do it', '--workdir', 'work', '--yes', '--verbose', '--transcript', 't.json', ...args],
    { cwd: folder, env: { ...keyed(server), ...env } },
  );
  const [name = ''] = await readdir(join(folder, '.turnstile/runs'));
  const journal = await readFile(join(folder, '.turnstile/runs', name), 'utf8');
  return { ended, server, folder, journal, transcript: await transcriptIn(folder) };
}

const emoji = (letters: number): string => 'a'.repeat(letters) + '\u{1F680}'.repeat(16_000);
const inPython = (letters: number): string => `"a" * ${letters} + chr(0x1F680) * 16_000`;

const python = (code: string) => toolUse('run_python', { code });

describe('output that is cut', () => {
  it.concurrent.each([
    ...LETTERS.map((n) => ({ what: `a print behind ${n} letters`, call: python(`print(${inPython(n)})`) })),
    ...LETTERS.map((n) => ({
      what: `an error behind ${n} letters, less for the traceback`,
      call: python(`raise ValueError(${inPython(n - 2_000)})`),
    })),
    ...LETTERS.map((n) => ({
      what: `a file of ${n} letters before them`,
      call: toolUse('read_file', { path: `${n}.txt` }),
    })),
  ])('A20: is whole characters in the request and in the transcript: $what', async ({ call }) => {
    const { ended, server, transcript } = await play(call);
    expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
    // The server refuses half a character, as it does a body that is no JSON.
    expect(server.requests.map(({ refusal }) => refusal)).toEqual([null, null]);
    const body = JSON.stringify(server.requests[1]?.body);
    expect(body).toContain('\u{1F680}');
    for (const text of [body, JSON.stringify(transcript)]) {
      // Half a character is an escape in JSON; U+FFFD is what it becomes as bytes.
      expect(text).not.toMatch(/\\ud[89a-f]|\uFFFD/i);
      expect(text.length).toBeGreaterThan(10_000);
    }
    expect(JSON.stringify(transcript.messages[2])).toMatch(/left out|lines? \d|cut/);
  });
});

describe('D13: keys and tokens', () => {
  const SECRETS = {
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
    AWS_SECRET_ACCESS_KEY: 'aws-secret-value',
    DATABASE_URL: 'postgres://me:my-password@db/x',
    FOO_TOKEN: 'foo-token-value',
  };

  it.concurrent.each([
    { where: 'in its own environment', code: 'import os; print(dict(os.environ), "read")', isThere: false },
    {
      where: 'in that of its parent',
      code: 'import os; print(open(f"/proc/{os.getppid()}/environ").read(), "read")',
      isThere: true,
    },
    {
      where: 'in that of its parent, and fails with it',
      code: 'import os; raise ValueError(open(f"/proc/{os.getppid()}/environ").read() + "read")',
      isThere: true,
    },
  ])('that code looks for $where are shown nowhere', async ({ code, isThere }) => {
    const { ended, server, folder, journal } = await play(
      python(code),
      SECRETS,
      isThere ? ['--sandbox', 'none'] : [],
    );
    const sent = JSON.stringify(server.requests[1]?.body);
    const transcript = await readFile(join(folder, 't.json'), 'utf8');
    for (const text of [sent, transcript, journal, ended.stdout, ended.stderr]) {
      for (const secret of [...Object.values(SECRETS), 'my-password']) expect(text).not.toContain(secret);
    }
    // The code has read what it wanted; what is known to be secret is masked.
    expect(sent).toContain('read');
    expect(sent.includes('FOO_TOKEN=[redacted]')).toBe(isThere);
    expect(ended.stdout).toBe('Done.\n');
  });
});
