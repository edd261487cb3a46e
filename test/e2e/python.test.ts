import { readdirSync, readFileSync } from 'node:fs';
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
    const { ended, call, result } = await play('print("你好", 6 * 7)', ['--yes', '--sandbox', 'none']);
    expect(ended.code).toBe(0);
    expect(ended.stderr.match(/--sandbox none lets it/g)).toHaveLength(1);
    expect(call).toMatchObject({ outcome: 'succeeded', verdict: 'allow' });
    expect(result).toContain('你好 42');
  });

  it('is denied by --on-ask deny; the model is told what to do', async () => {
    const { ended, call, result } = await play('open("made", "w")', ['--on-ask', 'deny']);
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
