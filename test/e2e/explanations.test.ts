import { describe, expect, it } from 'vitest';
import { fails, says, toolUse, type Reply } from '../../src/testing/index.ts';
import { folderWith, keyed, serverOf, turnstile } from './command.ts';

const reads = (path = 'a.txt'): Reply => says(toolUse('read_file', { path }));
const computes = (): Reply => says('I compute.', toolUse('run_python', { code: 'print(1)' }));
const soon = { headers: { 'retry-after-ms': '1' } };

interface Row {
  readonly end: string;
  readonly code: number;
  readonly replies: readonly Reply[];
  readonly args?: readonly string[];
  readonly says: readonly RegExp[];
}

const ROWS: readonly Row[] = [
  {
    end: 'a budget that not one request fits',
    code: 4,
    replies: [says('Done.')],
    args: ['--max-usd', '0.000001'],
    says: [/needs up to \$0\.\d+; \$0.000001 of \$0.000001 was left/, /Raise --max-usd to \$0\.\d+ or more/],
  },
  {
    end: 'C17: a budget that ended in a summary',
    code: 4,
    replies: [
      { kind: 'message', content: [toolUse('read_file', { path: 'a.txt' })], usage: { input_tokens: 1_000 } },
      says('In short.'),
    ],
    args: ['--token-budget', '7500'],
    says: [/needs up to \d+ tokens; \d+ tokens of 7500 tokens was left/, /went into a final summary/],
  },
  {
    end: 'a turn limit',
    code: 3,
    replies: [reads(), says('In short.')],
    args: ['--max-turns', '2'],
    says: [/turn limit is reached; the last turn summed up.*--max-turns/],
  },
  {
    end: 'a turn that ends without a word (A07)',
    code: 0,
    replies: [{ kind: 'message', content: [] }],
    says: [/without a word, so the answer is empty/],
  },
  {
    end: 'a last turn without a word, after words (B10)',
    code: 0,
    replies: [says('ANSWER', toolUse('read_file', { path: 'a.txt' })), { kind: 'message', content: [] }],
    says: [/the answer is what it had said before/],
  },
  {
    end: 'a deadline',
    code: 4,
    replies: [{ kind: 'stall', at: 3, reply: says('so far') }],
    args: ['--timeout', '0.3'],
    says: [/--timeout was over/],
  },
  {
    end: 'a refusal',
    code: 5,
    replies: [{ kind: 'message', content: [{ type: 'text', text: 'no' }], stopReason: 'refusal' }],
    says: [/declined.*Change the task/],
  },
  {
    end: 'an answer that was cut off',
    code: 6,
    replies: [{ kind: 'message', content: [{ type: 'text', text: 'Half' }], stopReason: 'max_tokens' }],
    args: ['--max-tokens', '128000'],
    says: [/cut off at 128000 tokens, so the answer is not whole.*--max-tokens/],
  },
  {
    end: 'a prompt that is too long',
    code: 6,
    replies: [fails(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')],
    says: [/do not fit the model: .*too long.*larger window/],
  },
  {
    end: 'a model that failed',
    code: 7,
    replies: [fails(429, 'rate_limit_error', 'slow down', soon)],
    says: [/The model failed: .*slow down/, /slow down.*Trying again/],
  },
  {
    end: 'a call that fails again and again',
    code: 9,
    replies: [reads('none.txt'), reads('none.txt'), reads('none.txt'), says('I give up.')].map(
      (reply, index) =>
        index < 3 ? says(toolUse('read_file', { path: 'none.txt' }, `toolu_${index}`)) : reply,
    ),
    says: [/ended badly in turn after turn: read_file {"path":"none.txt"}/],
  },
  {
    end: '--on-ask fail',
    code: 10,
    replies: [computes()],
    args: ['--on-ask', 'fail', '--tools', 'read_file,run_python'],
    says: [/run_python needs approval, and --on-ask fail stops the run.*--yes, or --allow run_python/],
  },
  {
    end: '--on-ask fail where a rule asks, which no allow changes',
    code: 10,
    replies: [computes()],
    args: ['--on-ask', 'fail', '--tools', 'read_file,run_python', '--ask', 'run_python'],
    says: [/To let it run: --yes, or run it without the rule ask run_python\./],
  },
  {
    end: '--on-ask deny where a rule asks',
    code: 0,
    replies: [computes(), says('Done.')],
    args: ['--on-ask', 'deny', '--tools', 'read_file,run_python', '--ask', 'run_python(code>0)'],
    says: [/To let it run: --yes, or run it without the rule ask run_python\(code>=1\)\./],
  },
  {
    end: 'a call that nobody could be asked about',
    code: 8,
    replies: [computes()],
    args: ['--tools', 'read_file,run_python'],
    says: [
      /The run waits for approval of 1 call\.\n {2}toolu\S+: run_python /,
      /To go on: turnstile approve (\w{8}), then turnstile resume \1$/m,
    ],
  },
  {
    end: '--on-ask deny',
    code: 0,
    replies: [computes(), says('Done.')],
    args: ['--on-ask', 'deny', '--tools', 'read_file,run_python'],
    says: [/run_python was denied, as nobody could be asked: --on-ask deny.*--yes, or --allow run_python/],
  },
];

async function play({ replies, args = [] }: Row, more: readonly string[]) {
  const server = await serverOf(replies);
  return turnstile(['do it', '--tools', 'read_file', ...args, ...more], {
    cwd: await folderWith({ 'a.txt': 'x' }),
    env: keyed(server),
  });
}

describe('why a run ended so, and the way on', () => {
  it.concurrent.each(ROWS)('stands on stderr with --quiet, and nothing else does: $end', async (row) => {
    const ended = await play(row, ['--quiet']);
    expect(ended.code).toBe(row.code);
    for (const words of row.says) expect(ended.stderr).toMatch(words);
    expect(ended.stderr).not.toMatch(/^turn \d|run [2-9b-z]{8}\)/m);
  });

  it.each(ROWS.filter(({ code }) => code === 7))('is said once: $end', async (row) => {
    const { stderr } = await play(row, []);
    expect(stderr.match(/slow down/g)).toHaveLength(5);
    expect(stderr.match(/Trying again/g)).toHaveLength(4);
  });

  it.each([
    { option: '--max-usd', little: '0.000001' },
    { option: '--token-budget', little: '10' },
  ])('names a value of $option that is enough', async ({ option, little }) => {
    const server = await serverOf([says('Done.')]);
    const start = { cwd: await folderWith(), env: keyed(server) };
    const args = ['do it', '--tools', 'read_file', option];
    const { stderr } = await turnstile([...args, little], start);
    const enough = new RegExp(`Raise ${option} to \\$?([\\d.]+\\d)`).exec(stderr)?.[1] ?? '';
    expect(await turnstile([...args, enough], start)).toMatchObject({ code: 0, stdout: 'Done.\n' });
    const less = String(Number((Number(enough) * 0.999).toPrecision(6)));
    const tooLittle = option === '--max-usd' ? less : String(Number(enough) - 1);
    expect(await turnstile([...args, tooLittle], start)).toMatchObject({ code: 4 });
  });

  it('is nothing where the run answered', async () => {
    const server = await serverOf([says('Done.')]);
    const ended = await turnstile(['do it', '--tools', 'read_file', '--quiet'], {
      cwd: await folderWith(),
      env: keyed(server),
    });
    expect(ended).toEqual({ code: 0, signal: null, stdout: 'Done.\n', stderr: '' });
  });
});

it('C13: a budget that the answer has crossed is no reason, and nothing is said of it', async () => {
  const usage = { input_tokens: 90_000, output_tokens: 1_000 };
  const server = await serverOf([{ kind: 'message', content: [{ type: 'text', text: 'X' }], usage }]);
  const ended = await turnstile(['do it', '--tools', 'read_file', '--token-budget', '50000'], {
    cwd: await folderWith(),
    env: keyed(server),
  });
  expect(ended).toMatchObject({ code: 0, stdout: 'X\n' });
  expect(ended.stderr).not.toMatch(/budget/i);
});

describe('--verbose', () => {
  it('shows each request: how it ended, its tokens and its id', async () => {
    const server = await serverOf([reads(), says('Done.')]);
    const ended = await turnstile(['do it', '--tools', 'read_file', '--verbose'], {
      cwd: await folderWith({ 'a.txt': 'x' }),
      env: keyed(server),
    });
    expect(ended.stderr).toMatch(/request: tool_use, \d+ \+ \d+ tokens, [\d.]+ s, req_/);
    expect(ended.stderr).toMatch(/request: end_turn, /);
  });
});

describe('an error before the run', () => {
  it.each([
    { output: 'json', args: ['do', 'it'], error: /one argument/ },
    { output: 'json', args: ['do it', '--nope'], error: /unknown option '--nope'/ },
    { output: 'stream-json', args: ['do it', '--max-turns', '0'], error: /whole number/ },
  ])('is a document on stdout with --output $output: $error', async ({ output, args, error }) => {
    const ended = await turnstile([...args, '--output', output], { cwd: await folderWith() });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^turnstile: /);
    const document = { state: 'failed', error: { message: expect.stringMatching(error) }, exit_code: 2 };
    expect(JSON.parse(ended.stdout)).toEqual(
      output === 'json' ? document : { type: 'run.ended', result: document },
    );
  });
});
