/** What a model, a server or a person writes is shown, and never obeyed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fails, says, toolUse, type Reply } from '../../src/testing/index.ts';
import { folderWith, keyed, serverOf, turnstile } from './command.ts';
import { onTerminal, QUESTION } from './on-terminal.ts';

const NASTY = 'a\u001b[31mb\u202Ec\u0007d\u200Be\u009b2Jf';
// eslint-disable-next-line no-control-regex -- control characters are the subject
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]/;

const reads = (): Reply => says(toolUse('read_file', { path: `${NASTY}.txt` }));
const computes = (): Reply => says(toolUse('run_python', { code: `x = "${NASTY}"` }));

interface Surface {
  readonly where: string;
  readonly replies: readonly Reply[];
  readonly args?: readonly string[];
  readonly code?: number;
}

const SURFACES: readonly Surface[] = [
  { where: 'an answer', replies: [says(NASTY)] },
  { where: 'the line of a call', replies: [reads(), says('Done.')] },
  { where: 'the verbose log', replies: [reads(), says('Done.')], args: ['--verbose'] },
  { where: 'code that --yes approves', replies: [computes(), says('Done.')], args: ['--yes', '--verbose'] },
  { where: 'code that nobody can approve', replies: [computes()], code: 8 },
  { where: 'code that is denied', replies: [computes(), says('Done.')], args: ['--on-ask', 'deny'] },
  { where: 'the name of a tool', replies: [says(toolUse(`fly${NASTY}`)), says('Done.')] },
  { where: 'an error of the API', replies: [fails(400, 'invalid_request_error', NASTY)], code: 7 },
  {
    where: 'a failure that is waited for',
    replies: [fails(529, 'overloaded_error', NASTY, { headers: { 'retry-after-ms': '1' } })],
    code: 7,
  },
  { where: 'a flag that does not exist', replies: [], args: [`--nope${NASTY}`], code: 2 },
  { where: 'a folder that is not there', replies: [], args: ['--workdir', NASTY], code: 2 },
];

describe('E06: no control character reaches the screen', () => {
  it.concurrent.each(SURFACES)('by $where', async ({ replies, args = [], code = 0 }) => {
    const server = await serverOf(replies);
    const ended = await turnstile(['do it', ...args], { cwd: await folderWith(), env: keyed(server) });
    expect(ended.code).toBe(code);
    expect(ended.stdout + ended.stderr).not.toMatch(CONTROL);
    // As text for people, or as a part of JSON.
    expect(ended.stdout + ended.stderr).toMatch(/a\\u(?:\{1b\}|001b)\[31mb/);
  });

  it.each([
    { how: 'on a terminal', options: {} },
    { how: 'on a terminal whose stdout is piped', options: { pipe: 'cat' } },
  ])('by the question $how', async ({ options }) => {
    const { screen, raw } = await onTerminal([computes(), says('Done.')], [[QUESTION, 'n\r']], options);
    expect(screen).toContain(String.raw`x = "a\u{1b}[31mb\u{202e}c\u{7}d\u{200b}e\u{9b}2Jf"`);
    for (const hidden of ['\u0007', '\u202e', '\u200b', '\u009b']) expect(raw).not.toContain(hidden);
    expect(raw).not.toContain('\u001b[31mb');
  });
});

describe('E07: nothing of a call is interpreted before it is approved, and then by python alone', () => {
  const SHELL = '\'; touch pwned; \' $(touch pwned) `touch pwned` "; touch pwned; "';

  it.each([
    { answer: 'n', ran: false },
    { answer: 'y', ran: true },
  ])('answer $answer: ran is $ran', async ({ answer, ran }) => {
    // 200 kB: more than an argument of a process may have.
    const code = `text = r"""${SHELL} """ + r"""${'x'.repeat(200_000)}"""\nimport os\nopen(os.environ["SCRATCH"] + "/ran.txt", "w").write(text)`;
    const { folder, second } = await onTerminal(
      [says(toolUse('run_python', { code })), says('Done.')],
      [[QUESTION, `${answer}\r`]],
    );
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
    const [scratch = 'none'] = readdirSync(join(folder, '.turnstile', 'scratch'));
    const file = join(folder, '.turnstile', 'scratch', scratch, 'ran.txt');
    expect(existsSync(file)).toBe(ran);
    if (ran) expect(readFileSync(file, 'utf8')).toBe(`${SHELL} ${'x'.repeat(200_000)}`);
    else expect(second).toContain('denied this call');
  });
});
