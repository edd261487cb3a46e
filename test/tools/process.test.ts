import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { findPython } from '../../src/sandbox/index.ts';
import { runProcess, type ProcessEnd, type ProcessSpec } from '../../src/tools/process.ts';
import { ESCAPES, family, processesWith, temporaryFolder } from './python-call.ts';

const python = findPython(process.env)?.path ?? '';

interface Ran {
  readonly end: ProcessEnd;
  readonly stdout: string;
  readonly elapsedMs: number;
}

async function run(code: string, spec: Partial<ProcessSpec> = {}): Promise<Ran> {
  const chunks: Buffer[] = [];
  const startedAt = performance.now();
  const end = await runProcess({
    command: python,
    args: ['-u', '-c', code],
    cwd: temporaryFolder(),
    env: {},
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    onOutput: (stream, chunk) => {
      if (stream === 'stdout' && chunks.length < 100) chunks.push(chunk);
    },
    ...spec,
  });
  return { end, stdout: Buffer.concat(chunks).toString(), elapsedMs: performance.now() - startedAt };
}

/** Fires when the code has printed. */
function abortAtOutput(): Pick<ProcessSpec, 'signal' | 'onOutput'> {
  const controller = new AbortController();
  return { signal: controller.signal, onOutput: () => controller.abort() };
}

describe('a process', () => {
  it.each([
    { code: 'pass', end: { kind: 'exited', exitCode: 0 } },
    { code: 'raise SystemExit(3)', end: { kind: 'exited', exitCode: 3 } },
    { code: 'import os; os.abort()', end: { kind: 'killed', signal: 'SIGABRT' } },
    { code: 'import os; os.kill(os.getpid(), 15)', end: { kind: 'killed', signal: 'SIGTERM' } },
  ])('that runs `$code` ends as $end', async ({ code, end }) => {
    expect((await run(code)).end).toEqual(end);
  });

  it('that cannot be started is an error which says why', async () => {
    await expect(run('', { command: 'no-such-program' })).rejects.toThrow('ENOENT');
  });

  it('does not start when the signal has fired', async () => {
    const cwd = temporaryFolder();
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(run('open("started.txt", "w")', { cwd, signal })).rejects.toThrow('stopped');
    expect(existsSync(join(cwd, 'started.txt'))).toBe(false);
  });

  it('E17: that waits is ended at the limit, counted from its start', async () => {
    const { end, elapsedMs } = await run('import time; time.sleep(20)', { timeoutMs: 400 });
    expect(end).toEqual({ kind: 'timed_out' });
    expect(elapsedMs).toBeGreaterThanOrEqual(395);
    expect(elapsedMs).toBeLessThan(2_000);
  });

  it.each([2 ** 31, 3_000_000_000, 1e300])('is not ended at once by a limit of %d ms', async (timeoutMs) => {
    const { end } = await run('import time; time.sleep(0.2)', { timeoutMs });
    expect(end).toEqual({ kind: 'exited', exitCode: 0 });
  });

  it('can clean up when it gets TERM at its limit', async () => {
    const code = `
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (print('cleaned up'), sys.exit()))
time.sleep(20)`;
    const { end, stdout } = await run(code, { timeoutMs: 600 });
    expect({ end, stdout }).toEqual({ end: { kind: 'timed_out' }, stdout: 'cleaned up\n' });
  });

  it('gets one TERM, not one for its group and one for itself', async () => {
    const kill = vi.spyOn(process, 'kill');
    await run('import time; time.sleep(20)', { timeoutMs: 300 });
    expect(kill.mock.calls.filter(([, signal]) => signal === 'SIGTERM')).toEqual([
      [expect.any(Number), 'SIGTERM'],
    ]);
    kill.mockRestore();
  });

  it('gets its last output delivered although a killed child held the pipe', async () => {
    const { word, code } = family(ESCAPES[0]);
    const { end, stdout } = await run(code('print("x" * 60_000)'));
    expect(end).toEqual({ kind: 'exited', exitCode: 0 });
    expect(stdout).toBe(`ready\n${'x'.repeat(60_000)}\n`);
    expect(processesWith(word)).toEqual([]);
  });
});

describe('a sandbox that ends before what is in it', () => {
  /** The inner process says when it has begun, in a session of its own, and would write after a second. */
  const code = `
import os, sys, time
ready, go = os.pipe()
inner = os.fork()
if inner == 0:
  os.setsid(); os.close(1); os.close(2); os.close(3)
  os.write(go, b"x")
  time.sleep(1)
  open("late.txt", "w"); os._exit(0)
os.read(ready, 1)
os.write(3, b'{ "child-pid": %d }' % inner)`;

  it('is waited for, and what is in it is ended', async () => {
    const cwd = temporaryFolder();
    const { end } = await run(code, { cwd, isSandbox: true, tellsInner: true });
    expect(end).toEqual({ kind: 'exited', exitCode: 0 });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(existsSync(join(cwd, 'late.txt'))).toBe(false);
  });
});

describe.each(ESCAPES)('$how', ({ start, body }) => {
  it.each([
    { ending: 'the time limit', rest: 'time.sleep(20)', spec: () => ({ timeoutMs: 800 }), kind: 'timed_out' },
    { ending: 'an abort', rest: 'time.sleep(20)', spec: abortAtOutput, kind: 'aborted' },
    { ending: 'a normal end', rest: '', spec: () => ({}), kind: 'exited' },
  ])('D02, D04: does not outlive $ending, and delays it little', async ({ rest, spec, kind }) => {
    const { word, code } = family({ start, body });
    const { end, elapsedMs } = await run(code(rest), spec());
    expect(end.kind).toBe(kind);
    expect(processesWith(word)).toEqual([]);
    expect(elapsedMs).toBeLessThan(3_000);
  });
});

describe('when the harness exits', () => {
  it('running processes are killed, by one listener for all', async () => {
    const before = process.listeners('exit');
    const families = [family(ESCAPES[0]), family(ESCAPES[2])];
    const started = new EventEmitter();
    const running = families.map(({ code, word }) =>
      run(code('time.sleep(20)'), { onOutput: () => started.emit(word) }),
    );
    await Promise.all(families.map(({ word }) => once(started, word)));
    const added = process.listeners('exit').filter((listener) => !before.includes(listener));
    expect(added).toHaveLength(1);

    for (const listener of added) Reflect.apply(listener, process, [0]);
    expect(families.flatMap(({ word }) => processesWith(word))).toEqual([]);
    const ends = await Promise.all(running.map(async (ran) => (await ran).end));
    expect(ends).toEqual(families.map(() => ({ kind: 'killed', signal: 'SIGKILL' })));
    expect(process.listeners('exit')).toEqual(before);
  });
});
