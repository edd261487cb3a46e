import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says, toolUse, type Reply } from '../../src/testing/index.ts';
import { folderWith, keyed, serverOf, transcriptIn, turnstile, type Start } from './command.ts';

const runs = (code: string): Reply => says(toolUse('run_python', { code }));

async function play(code: string, args: readonly string[], start: Partial<Start> = {}) {
  const folder = await folderWith({ 'work/a.txt': 'x' });
  const server = await serverOf([runs(code), says('Done.')]);
  const ended = await turnstile(['do it', '--workdir', 'work', '--transcript', 't.json', ...args], {
    cwd: folder,
    ...start,
    env: { ...keyed(server), ...start.env },
  });
  const transcript = await transcriptIn(folder);
  return {
    ended,
    transcript,
    call: transcript.turns[0]?.calls[0],
    result: JSON.stringify(transcript.messages[2]),
  };
}

/** Processes whose command line holds the marker. */
const alive = (marker: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(marker);
    } catch {
      return false;
    }
  });

describe('run_python in a run', () => {
  it('runs with --yes, and says once that it is not confined', async () => {
    const { ended, call, result } = await play('print("你好", 6 * 7)', ['--yes']);
    expect(ended.code).toBe(0);
    expect(ended.stderr.match(/unconfined/g)).toHaveLength(1);
    expect(call).toMatchObject({ outcome: 'succeeded', verdict: 'allow' });
    expect(result).toContain('你好 42');
  });

  it('is denied without a terminal and without --yes; the model is told what to do', async () => {
    const { ended, call, result } = await play('open("made", "w")', []);
    expect(ended.code).toBe(0);
    expect(call).toMatchObject({ outcome: 'denied', decision: { decision: 'deny', by: 'nobody' } });
    expect(result).toContain('Nobody could be asked');
  });

  it('is refused by --deny, even with --yes', async () => {
    const { call } = await play('print(1)', ['--yes', '--deny', 'run_python']);
    expect(call).toMatchObject({ outcome: 'denied', verdict: 'deny', decision: null });
  });

  it('D10: says at its time limit what there was until then', async () => {
    const { call, result } = await play('print("step 1")\nimport time; time.sleep(60)', [
      '--yes',
      '--tool-timeout',
      '0.5',
    ]);
    expect(call).toMatchObject({ outcome: 'timed_out' });
    expect(result).toContain('"is_error":true');
    expect(result).toContain('step 1');
    expect(result).toContain('0.5 s');
  });

  it('D13: sees no key and no token, and those of its parent are masked', async () => {
    const folder = await folderWith();
    const code = `import os
print(dict(os.environ))
for pid in (os.getpid(), os.getppid()):
    print(open(f'/proc/{pid}/environ').read().replace(chr(0), chr(10)))`;
    const server = await serverOf([runs(code), says('Done.')]);
    const secrets = {
      ...keyed(server),
      AWS_SECRET_ACCESS_KEY: 'aws-secret-value',
      FOO_TOKEN: 'foo-token-value',
      DATABASE_URL: 'postgres://user:db-password@host/x',
    };
    const ended = await turnstile(
      ['do it', '--yes', '--verbose', '--transcript', 't.json', '--output', 'stream-json'],
      { cwd: folder, env: secrets },
    );
    const [journal = ''] = readdirSync(join(folder, '.turnstile/runs'));
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).toContain('AWS_SECRET_ACCESS_KEY=[redacted]');
    const kept = ['t.json', `.turnstile/runs/${journal}`].map((file) =>
      readFileSync(join(folder, file), 'utf8'),
    );
    for (const text of [sent, ended.stdout, ended.stderr, ...kept]) {
      for (const secret of ['sk-test', 'aws-secret-value', 'foo-token-value', 'db-password'])
        expect(text).not.toContain(secret);
    }
  });

  it.each([
    { how: 'prints', code: "print('a' * 9_999 + chr(0x1F680) * 20_000)" },
    { how: 'raises', code: "raise ValueError('a' * 9_999 + chr(0x1F680) * 20_000)" },
    {
      how: 'prints half of one',
      code: "import sys; sys.stdout.buffer.write(chr(0x1F680).encode()[:2] + b' end')",
    },
    {
      how: 'prints a lone surrogate',
      code: "print(chr(0xD83D).encode('utf-8', 'surrogatepass').decode('utf-8', 'surrogatepass'))",
    },
  ])('$how an emoji: what is sent is well-formed wherever it is cut (A20)', async ({ code }) => {
    const folder = await folderWith();
    const server = await serverOf([runs(code), says('Done.')]);
    const ended = await turnstile(['do it', '--yes', '--transcript', 't.json'], {
      cwd: folder,
      env: keyed(server),
    });
    expect(ended.code).toBe(0);
    expect(server.requests.map(({ refusal }) => refusal)).toEqual([null, null]);
    expect(JSON.stringify(server.requests[1]?.body)).not.toMatch(/(?<!\\)\\ud[89a-f]/i);
    if (code.includes('* 20_000')) expect(JSON.stringify(server.requests[1]?.body)).not.toContain('\ufffd');
    expect((await transcriptIn(folder)).result).toMatchObject({ reason: 'end_turn' });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'D04: leaves nothing running after %s, and the call has its result',
    async (signal) => {
      const marker = `marker-${signal}-${process.pid}`;
      const code = `import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', '${marker}'], start_new_session=True)\nprint('started', flush=True)\ntime.sleep(60)`;
      const { ended, call, result } = await play(code, ['--yes'], {
        onStart: (child) => {
          const timer = setInterval(() => {
            if (alive(marker).length === 0) return;
            clearInterval(timer);
            child.kill(signal);
          }, 30);
        },
      });
      expect(ended.code).toBe(signal === 'SIGINT' ? 130 : 143);
      expect(call).toMatchObject({ outcome: 'interrupted' });
      expect(result).toContain('started');
      expect(alive(marker)).toEqual([]);
    },
  );
});
