/** Every surface that shows what a model, a tool, a file, a server or the environment says: shown, never obeyed, and masked. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fails, says, toolUse, type Reply } from '../../src/testing/index.ts';
import { folderWith, keyed, serverOf, turnstile, type Ended } from './command.ts';
import { onTerminal, QUESTION } from './on-terminal.ts';
import { shell, type Shell } from './shell.ts';

/** The key of the runs below. */
const SECRET = 'sk-test-0123456789';

/** Colour, title, link, clipboard, cursor, overwriting, bidi, invisible, C1, line separators, and a line without an end. */
const HOSTILE = `${SECRET}a\u001b[31mb\u001b]0;title\u0007\u001b]8;;http://x\u001b\\y\u001b]52;c;eA==\u0007\u001b[2J\u001b[1;1Hc\rd\be\u202ef\u2066g\u200bh\ufeffi\u009b2Jj\u009d0;t\u009ck\u007fl\u2028m\u{e0041}n${'w'.repeat(600)}`;
const CONTROL =
  // eslint-disable-next-line no-control-regex -- control characters are the subject
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/;
/** As text for people, or in JSON. */
const SHOWN = /\\u(?:\{1b\}|001b)/;

function expectHarmless(output: string): void {
  expect(output).not.toMatch(CONTROL);
  expect(output).not.toContain(SECRET);
  expect(output).toMatch(SHOWN);
}

const outputOf = ({ stdout, stderr }: Ended): string => stdout + stderr;

const reads = (): Reply => says(`I read ${HOSTILE}.`, toolUse('read_file', { path: `${HOSTILE}.txt` }));
const computes = (): Reply => says(HOSTILE, toolUse('run_python', { code: `x = """${HOSTILE}"""` }));
const done = says('Done.');
const denying = { tool: 'read_file', verdict: 'deny', match: { argument: 'path', contains: '\u001b[31m' } };
const project = (file: unknown) => ({ 'turnstile.json': JSON.stringify(file) });

/** Made once: whoever only looks at it can share it. */
function once(make: () => Promise<Shell>): () => Promise<Shell> {
  let made: Promise<Shell> | null = null;
  return () => (made ??= make());
}

interface OfRun {
  readonly where: string;
  readonly replies: readonly Reply[];
  readonly args?: readonly string[];
  readonly code?: number;
  readonly files?: Readonly<Record<string, string>>;
}

describe('E06: of a run, nothing is obeyed and no secret is shown', () => {
  it.concurrent.each<OfRun>([
    { where: 'the answer', replies: [says(HOSTILE)] },
    { where: 'the answer as JSON', replies: [says(HOSTILE)], args: ['--output', 'json'] },
    { where: 'the lines of stream-json', replies: [reads(), done], args: ['--output', 'stream-json'] },
    { where: 'the line of a call', replies: [reads(), done] },
    { where: 'the verbose log', replies: [reads(), done], args: ['--verbose'] },
    { where: 'code that --yes approves', replies: [computes(), done], args: ['--yes', '--verbose'] },
    { where: 'code that nobody can approve', replies: [computes()], code: 8 },
    { where: 'code that is denied', replies: [computes(), done], args: ['--on-ask', 'deny'] },
    {
      where: 'code that ends the run',
      replies: [computes()],
      args: ['--on-ask', 'fail', '--verbose'],
      code: 10,
    },
    { where: 'a call that is repeated until the run is stuck', replies: [reads()], code: 9 },
    { where: 'the name of a tool', replies: [says(toolUse(`fly${SECRET}\u001b[31m\u009b2J`)), done] },
    { where: 'an error of the API', replies: [fails(400, 'invalid_request_error', HOSTILE)], code: 7 },
    {
      where: 'a failure that is waited for',
      replies: [fails(529, 'overloaded_error', HOSTILE, { headers: { 'retry-after-ms': '1' } })],
      code: 7,
    },
    { where: 'a rule of the project file', replies: [reads(), done], files: project({ rules: [denying] }) },
    {
      where: 'a warning of such a rule',
      replies: [done],
      files: project({ rules: [{ ...denying, tool: 'write_file' }] }),
    },
    { where: 'a key of the project file', replies: [], files: project({ [HOSTILE]: 1 }), code: 2 },
    {
      where: 'a project file that is no JSON',
      replies: [],
      files: { 'turnstile.json': `\u001b${HOSTILE}` },
      code: 2,
    },
    {
      where: 'an allow in the project file',
      replies: [],
      files: project({ rules: [{ ...denying, verdict: 'allow' }] }),
      code: 2,
    },
    { where: 'a flag that does not exist', replies: [], args: [`--nope${HOSTILE}`], code: 2 },
    { where: 'a flag, in JSON', replies: [], args: [`--nope${HOSTILE}`, '--output', 'json'], code: 2 },
    { where: 'a rule that is none', replies: [], args: ['--deny', HOSTILE], code: 2 },
    { where: 'a folder that is not there', replies: [], args: ['--workdir', HOSTILE], code: 2 },
    { where: 'a script that is not there', replies: [], args: ['--model', `scripted:${HOSTILE}`], code: 2 },
    { where: 'an interpreter that is not there', replies: [], args: ['--python', `/${HOSTILE}`], code: 2 },
    { where: 'variables of a file', replies: [], args: ['--dotenv', HOSTILE], code: 2 },
  ])('by $where', async ({ replies, args = [], code = 0, files }) => {
    const server = await serverOf(replies);
    const ended = await turnstile(['do it', ...args], { cwd: await folderWith(files), env: keyed(server) });
    expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code });
    expectHarmless(outputOf(ended));
  });

  it.concurrent.each([
    { how: 'on a terminal', options: {}, replies: [computes(), says(`It is ${HOSTILE}.`)] },
    { how: 'on a terminal whose stdout is piped', options: { pipe: 'cat' }, replies: [computes(), done] },
    {
      how: 'about a file and its diff',
      options: { args: ['--tools', 'write_file'] },
      replies: [says(toolUse('write_file', { path: 'a.txt', content: HOSTILE })), done],
    },
    {
      how: 'about a file that cannot be',
      options: { args: ['--tools', 'write_file'] },
      replies: [says(toolUse('write_file', { path: `a/../../${HOSTILE}`, content: 'x' })), done],
    },
  ])('by the question $how, and by the text that streams', async ({ options, replies }) => {
    const args = [...('args' in options ? options.args : []), '--no-color'];
    const { raw } = await onTerminal(replies, [[QUESTION, 'n\r']], { ...options, args });
    expect(raw).toContain(QUESTION);
    expectHarmless(raw.replaceAll('\r\n', '\n'));
  });
});

describe('of a run that was, nothing is obeyed and no secret is shown', () => {
  const finish = async (): Promise<Shell> => {
    const box = await shell(reads(), says(HOSTILE));
    expect((await box.run(`do ${HOSTILE}`)).code).toBe(0);
    return box;
  };
  const finished = once(finish);
  const pause = async (): Promise<Shell> => {
    const box = await shell(computes(), says(HOSTILE));
    expect((await box.run('do it')).code).toBe(8);
    return box;
  };
  const paused = once(pause);
  /** As somebody else could write it: the model has a name that no model has. */
  const foreign = once(async () => {
    const box = await finished();
    const text = await readFile(await box.journalFile(), 'utf8');
    const header = text.slice(0, text.indexOf('\n'));
    const model = JSON.stringify({ ...(JSON.parse(header) as object), model: HOSTILE });
    await writeFile(join(box.cwd, 'foreign.jsonl'), model + text.slice(header.length));
    return box;
  });
  const broken = once(async () => {
    const box = await finished();
    const text = await readFile(await box.journalFile(), 'utf8');
    const type = JSON.stringify(HOSTILE);
    await writeFile(join(box.cwd, 'broken.jsonl'), text.replace('"model.answered"', type));
    return box;
  });
  const history = once(async () => {
    const box = await shell(done);
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'x', [HOSTILE]: 1 }] }];
    await writeFile(join(box.cwd, 'history.json'), JSON.stringify(messages));
    return box;
  });

  it.concurrent.each<{ readonly of: () => Promise<Shell>; readonly args: readonly string[] }>([
    { of: finished, args: ['show', 'last'] },
    { of: finished, args: ['show', 'last', '--json'] },
    { of: finished, args: ['export', 'last'] },
    { of: finished, args: ['runs'] },
    { of: finished, args: ['runs', '--json'] },
    { of: finish, args: ['resume', 'last', 'more', '--output', 'stream-json'] },
    { of: finish, args: ['resume', 'last', 'more', '--fork', '--verbose'] },
    { of: finished, args: ['show', HOSTILE] },
    { of: finished, args: ['show', `./${HOSTILE}`] },
    { of: finished, args: ['runs', '--state-dir', HOSTILE] },
    { of: paused, args: ['show', 'last'] },
    { of: pause, args: ['approve', 'last'] },
    { of: pause, args: ['approve', 'last', HOSTILE] },
    { of: pause, args: ['deny', 'last', '--reason', HOSTILE, '--resume'] },
    { of: foreign, args: ['show', 'foreign.jsonl'] },
    { of: broken, args: ['verify', 'broken.jsonl'] },
    { of: broken, args: ['verify', 'broken.jsonl', '--json'] },
    { of: broken, args: ['show', 'broken.jsonl'] },
    { of: foreign, args: ['resume', 'foreign.jsonl', 'more', '--workdir', '.'] },
    { of: history, args: ['verify', 'history.json'] },
    { of: history, args: ['verify', 'history.json', '--json'] },
    { of: history, args: ['verify', HOSTILE] },
    { of: history, args: ['demo', HOSTILE] },
    { of: history, args: ['doctor', '--base-url', `http://${HOSTILE}`] },
    { of: history, args: ['prove', '--max-turns', HOSTILE] },
    { of: history, args: ['chart', '--format', HOSTILE] },
    { of: history, args: ['rules', '--deny', `read_file(path=${HOSTILE})`] },
    { of: history, args: ['rules', '--json', '--deny', `read_file(path=${HOSTILE})`] },
    { of: history, args: ['rules', '--deny', `read_file(${HOSTILE}=1)`] },
    { of: history, args: ['rules', 'check', HOSTILE] },
    { of: history, args: ['rules', 'check', `read_file {"path": 1, ${JSON.stringify(HOSTILE)}: 1}`] },
  ])('by $args', async ({ of, args }) => {
    const box = await of();
    expectHarmless(outputOf(await box.run(...args)));
  });
});

describe('a document for programs', () => {
  it.concurrent.each([[['show', 'last', '--json']], [['export', 'last']], [['runs', '--json']]])(
    'by %s can be parsed, and says what was said, masked',
    async (args) => {
      const box = await shell(says(HOSTILE));
      await box.run(HOSTILE);
      const { stdout } = await box.run(...args);
      expect(JSON.stringify(JSON.parse(stdout))).toContain(
        JSON.stringify(HOSTILE.replace(SECRET, '[redacted]')).slice(1, -1),
      );
    },
  );
});

describe('a secret', () => {
  it('that streams in pieces is masked on the screen', async () => {
    const { screen } = await onTerminal([says(`The key is ${SECRET}, really.`)], []);
    expect(screen).toContain('The key is [redacted], really.');
    expect(screen).not.toContain(SECRET.slice(0, 8));
  });

  it.concurrent.each([
    { what: 'the password of an address', args: ['--base-url', 'http://me:pass-of-mine@127.0.0.1:1'] },
    { what: 'a key that no header takes', env: { ANTHROPIC_API_KEY: 'sk-of-mine-01\nx' } },
  ])('is masked by doctor and by a run that fails: $what', async ({ args = [], env = {} }) => {
    const cwd = await folderWith();
    const where = { cwd, env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', ...env } };
    const outputs = await Promise.all([
      turnstile(['doctor', ...args], where),
      turnstile(['doctor', '--json', ...args], where),
      turnstile(['do it', '--timeout', '1', ...args], where),
    ]);
    for (const output of outputs.map(outputOf)) {
      expect(output).not.toMatch(/pass-of-mine|sk-of-mine-01/);
      expect(output).not.toBe('');
    }
  });
});
