import { describe, expect, it } from 'vitest';
import { fails, rawToolUse, says, toolUse, validateRequest, type Reply } from '../../src/testing/index.ts';
import type { Transcript } from '../../src/index.ts';
import { folderWith, keyed, serverOf, transcriptIn, turnstile } from './command.ts';

const reads = (): Reply => says(toolUse('read_file', { path: 'a.txt' }));
const writes = (): Reply => says(toolUse('run_python', { code: 'print(1)' }));

interface Row {
  readonly reason: string;
  readonly code: number;
  readonly how: string;
  readonly replies: readonly Reply[];
  readonly args?: readonly string[];
  readonly answer?: string;
  readonly requests?: number;
  /** Of the transcript. */
  readonly document?: Readonly<Record<string, unknown>>;
  /** SIGINT once there is a request for each reply. */
  readonly isInterrupted?: boolean;
}

const ROWS: readonly Row[] = [
  {
    reason: 'end_turn',
    code: 0,
    how: 'the model answers',
    replies: [reads(), says('Done.')],
    answer: 'Done.',
  },
  {
    reason: 'max_turns',
    code: 3,
    how: 'the last turn sums up',
    replies: [reads(), says('Summary.')],
    args: ['--max-turns', '2'],
    answer: 'Summary.',
  },
  {
    reason: 'max_turns',
    code: 3,
    how: '--on-limit stop closes the calls of the last turn',
    replies: [reads()],
    args: ['--max-turns', '2', '--on-limit', 'stop'],
  },
  {
    reason: 'budget',
    code: 4,
    how: 'a response uses more than was left',
    replies: [
      {
        kind: 'message',
        content: [toolUse('read_file', { path: 'a.txt' })],
        usage: { input_tokens: 90_000 },
      },
    ],
    args: ['--token-budget', '50000'],
  },
  {
    reason: 'deadline',
    code: 4,
    how: 'the server stalls beyond --timeout',
    replies: [{ kind: 'stall', at: 3, reply: says('so far') }],
    args: ['--timeout', '0.5'],
  },
  {
    reason: 'stuck',
    code: 9,
    how: 'the same call fails three times',
    replies: [1, 2, 3].map(() => says(toolUse('read_file', { path: 'none.txt' }))).concat(says('I give up.')),
    answer: 'I give up.',
  },
  {
    reason: 'max_tokens',
    code: 6,
    how: 'a call is cut off again and again',
    replies: [
      {
        kind: 'message',
        content: [rawToolUse('run_python', ['{"code": "import'], { isCut: true })],
        stopReason: 'max_tokens',
      },
    ],
  },
  {
    reason: 'refusal',
    code: 5,
    how: 'the model refuses after a tool turn (B18)',
    replies: [
      reads(),
      { kind: 'message', content: [{ type: 'text', text: 'partial' }], stopReason: 'refusal' },
    ],
  },
  {
    reason: 'context_window',
    code: 6,
    how: 'the prompt is too long (B26)',
    replies: [
      reads(),
      fails(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    ],
    requests: 2,
  },
  {
    reason: 'model_failed',
    code: 7,
    how: 'the request is refused in turn 2 (H11)',
    replies: [reads(), fails(400, 'invalid_request_error', 'bad')],
    requests: 2,
    document: {
      turns: [{ calls: [{ outcome: 'succeeded' }] }, { stop_reason: null, calls: [] }],
      result: { failure: { status: 400 } },
    },
  },
  {
    reason: 'max_turns',
    code: 3,
    how: 'the summary calls a tool all the same (B04)',
    replies: [reads(), says('partial', toolUse('read_file', { path: 'a.txt' }))],
    args: ['--max-turns', '2'],
    answer: 'partial',
    requests: 2,
    document: { turns: [{ calls: [{ outcome: 'succeeded' }] }, { calls: [{ outcome: 'not_run' }] }] },
  },
  {
    reason: 'aborted',
    code: 10,
    how: 'a call must be asked for and --on-ask is fail',
    replies: [writes()],
    args: ['--on-ask', 'fail'],
  },
  {
    reason: 'aborted',
    code: 130,
    how: 'SIGINT comes while the model answers',
    replies: [{ kind: 'stall', at: 3, reply: says('so far') }],
    isInterrupted: true,
  },
  {
    reason: 'aborted',
    code: 130,
    how: 'SIGINT comes while the model answers for the second time (C18)',
    replies: [reads(), { kind: 'stall', at: 3, reply: says('so far') }],
    isInterrupted: true,
  },
];

const FIELDS = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

/** Of all requests of all turns, aborted ones too. */
const usageOf = (turns: Transcript['turns']): unknown => {
  const requests = turns.flatMap((turn) => turn.requests);
  const sum = (field: string) =>
    requests.reduce((total, { usage }) => total + Number(usage?.[field] ?? 0), 0);
  return Object.fromEntries(FIELDS.map((field) => [field, sum(field)]));
};

describe('every stop reason', () => {
  it.concurrent.each(ROWS)('$reason, exit code $code: $how', async (row) => {
    const folder = await folderWith({ 'work dir/a.txt': 'hello' });
    const server = await serverOf(row.replies);
    const ended = await turnstile(
      [
        '做点什么 – do it',
        '--workdir',
        'work dir',
        '--transcript',
        't.json',
        '--output',
        'json',
        ...(row.args ?? []),
      ],
      {
        cwd: folder,
        env: keyed(server),
        onStart: (child) => {
          if (row.isInterrupted !== true) return;
          const timer = setInterval(() => {
            if (server.requests.length < row.replies.length) return;
            clearInterval(timer);
            child.kill('SIGINT');
          }, 20);
        },
      },
    );
    expect(ended).toMatchObject({ code: row.code });
    const result: unknown = JSON.parse(ended.stdout);
    expect(result).toMatchObject({ state: 'stopped', reason: row.reason, exit_code: row.code });
    if (row.answer !== undefined) expect(result).toMatchObject({ answer: row.answer });
    expect(ended.stderr).toContain(`${row.reason}:`);

    const transcript = await transcriptIn(folder);
    expect(transcript.result).toMatchObject({ reason: row.reason });
    if (row.document) expect(transcript).toMatchObject(row.document);
    if (row.requests !== undefined) expect(server.requests).toHaveLength(row.requests);
    for (const turn of transcript.turns) expect(turn).toHaveProperty('usage');
    expect(usageOf(transcript.turns)).toEqual(Object(transcript.result).usage);
    // Every request but those that a fault answered was accepted, and so is the history with one more message.
    expect(server.requests.map(({ refusal }) => refusal)).toEqual(server.requests.map(() => null));
    const [first] = server.requests;
    if (first === undefined) return;
    const again = {
      ...Object(first.body),
      messages: [...transcript.messages, { role: 'user', content: 'And then?' }],
    };
    expect(validateRequest(again, { version: '2026-10-21' })).toBeNull();
  });
});
