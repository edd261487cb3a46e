/** `run_python` as the model has it, in the sandbox that works here. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { chooseSandbox, interpretersFor, NoInterpreterError, uidForCode } from '../../src/sandbox/index.ts';
import { runPython, type RunPythonOptions } from '../../src/tools/run-python.ts';
import { instructive } from '../../src/tools/texts.ts';
import { createToolbox } from '../../src/tools/toolbox.ts';
import { cellWith } from './cells.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'work folder '));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  return folder;
}

function session(options: RunPythonOptions = {}, workdir = newFolder()) {
  const tool = runPython({ asRoot: true, timeoutMs: 20_000, ...options });
  const toolbox = createToolbox({ tools: [tool], runId: 'run', workdir, texts: instructive });
  return {
    tool,
    workdir,
    run: (code: string) =>
      toolbox.run({ id: 'call', name: 'run_python', input: { code } }, new AbortController().signal),
  };
}

describe.each(['bubblewrap', 'landlock'] as const)('run_python in %s', (sandbox) => {
  it('reads the workspace, computes, and keeps its scratch folder between calls', async () => {
    const { run, workdir } = session({ sandbox });
    writeFileSync(join(workdir, '数据.txt'), '你好');
    const write =
      'import os; open(os.environ["SCRATCH"] + "/kept.txt", "w").write(open("数据.txt").read() * 2)';
    expect(await run(write)).toMatchObject({ kind: 'succeeded' });
    const read = 'import os; print(open(os.environ["SCRATCH"] + "/kept.txt").read())';
    expect(await run(read)).toEqual({ kind: 'succeeded', content: '你好你好\n' });
  });

  it.each([
    { code: 'print(1)', ends: { kind: 'succeeded', content: '1\n' } },
    { code: 'raise SystemExit(3)', ends: { kind: 'failed', content: expect.stringMatching(/exit code 3/) } },
    {
      code: 'import os; os.abort()',
      ends: { kind: 'failed', content: expect.stringMatching(/killed by SIGABRT/) },
    },
    {
      code: 'raise ValueError("no")',
      ends: { kind: 'failed', content: expect.stringMatching(/ValueError: no/) },
    },
    {
      code: 'from concurrent.futures import ThreadPoolExecutor as Pool; print(sum(Pool(4).map(abs, range(5))))',
      ends: { kind: 'succeeded', content: '10\n' },
    },
    {
      code: 'import subprocess, sys; print(subprocess.run([sys.executable, "-c", "print(2)"], capture_output=True, text=True).stdout)',
      ends: { kind: 'succeeded', content: '2\n\n' },
    },
    {
      code: 'import json, os, shutil; print(os.listdir(shutil.copytree(os.path.dirname(json.__file__), os.environ["SCRATCH"] + "/copy")).count("decoder.py"))',
      ends: { kind: 'succeeded', content: '1\n' },
    },
    {
      code: 'import sqlite3, tempfile, asyncio; asyncio.run(asyncio.sleep(0)); print(tempfile.TemporaryFile().write(b"x"))',
      ends: { kind: 'succeeded', content: '1\n' },
    },
  ])('tells how `$code` ended', async ({ code, ends }) => {
    expect(await session({ sandbox }).run(code)).toMatchObject(ends);
  });

  it('gives time to clean up at the time limit, and says what there was until then', async () => {
    const code =
      'import signal, sys, time\nsignal.signal(15, lambda *_: (print("cleaned up"), sys.exit()))\nprint("begun")\ntime.sleep(30)';
    expect(await session({ sandbox, timeoutMs: 1_500 }).run(code)).toMatchObject({
      kind: 'timed_out',
      content: expect.stringMatching(/begun\ncleaned up/),
    });
  });

  it('has ended all that the code left running, when a call has ended', async () => {
    const scratchDir = newFolder();
    const { run } = session({ sandbox, scratchDir });
    const sizes = (folder: string): readonly number[] =>
      readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    // What they print would be waited for: they print nowhere. Few: all tests of root share the number of processes.
    const code =
      'import os\nprint(os.environ["SCRATCH"], flush=True)\nfor number in range(4):\n  if os.fork() == 0:\n    os.close(1); os.close(2)\n    file = open(os.environ["SCRATCH"] + f"/{number}", "ab", 0)\n    while True: file.write(b"x")\nos._exit(0)';
    for (let call = 0; call < 5; call += 1) {
      const { content } = await run(code);
      const folder = sandbox === 'bubblewrap' ? join(scratchDir, 'run') : content.trim();
      const atTheEnd = sizes(folder);
      expect(atTheEnd.length).toBeGreaterThan(1);
      await sleep(100);
      expect(sizes(folder)).toEqual(atTheEnd);
    }
  });

  it('has the packages of a virtual environment', async () => {
    const folder = newFolder();
    execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', join(folder, 'venv')]);
    const [packages = ''] = execFileSync('find', [join(folder, 'venv/lib'), '-name', 'site-packages'], {
      encoding: 'utf8',
    }).split('\n');
    writeFileSync(join(packages, 'only_here.py'), 'answer = 42');
    const { run } = session({ sandbox, python: join(folder, 'venv/bin/python3') });
    expect(await run('import only_here; print(only_here.answer)')).toEqual({
      kind: 'succeeded',
      content: '42\n',
    });
  });

  it('tells the model what it may do, in the same words in each sandbox', () => {
    const { definition } = session({ sandbox }).tool;
    expect(definition.description).toMatch(/can read and not change.*SCRATCH.*no network/);
    expect(definition.description).toBe(session({ sandbox: 'auto' }).tool.definition.description);
  });

  it('is set up for a workspace, or says why not before anything is spent', () => {
    const { tool, workdir } = session({ sandbox });
    const place = { runId: 'run', hidden: [] };
    expect(() => tool.setUp?.({ ...place, workdir })).not.toThrow();
    chmodSync(workdir, 0o700);
    if (process.getuid?.() === 0) {
      expect(() => tool.setUp?.({ ...place, workdir })).toThrow(
        /runs as user 65534, who must be able to read/,
      );
    }
  });
});

describe('a workspace that code may change', () => {
  it('is changed, but for what the user runs from it', async () => {
    const { run, workdir } = session({ sandbox: 'bubblewrap', workdirMode: 'rw' });
    mkdirSync(join(workdir, '.git'));
    if (process.getuid?.() === 0) chownSync(workdir, 65_534, 65_534);
    expect(await run('open("new.txt", "w").write("x")')).toMatchObject({ kind: 'succeeded' });
    expect(existsSync(join(workdir, 'new.txt'))).toBe(true);
    expect(await run('open(".git/config", "w")')).toMatchObject({ kind: 'failed' });
  });

  it('cannot be had with Landlock, which only grants', () => {
    expect(() => runPython({ sandbox: 'landlock', workdirMode: 'rw', asRoot: true })).toThrow(
      /cannot let code change the workspace.*--workdir-mode ro/,
    );
  });
});

describe('without a sandbox that works', () => {
  const { flags, mode, network, limits, uid, env } = cellWith();
  const base = { flags, mode, network, limits, uid, env };

  it('nothing starts, and the ways on are named', () => {
    expect(() => runPython({ sandbox: 'seatbelt', asRoot: true })).toThrow(UserError);
    expect(() => runPython({ sandbox: 'seatbelt', asRoot: true })).toThrow(
      /there is none for.*apt-get install bubblewrap.*--tools read_file.*--sandbox none/,
    );
  });

  it.each([
    { prefix: homedir(), is: [] },
    { prefix: '/', is: [] },
    { prefix: '/usr', is: [] },
    { prefix: '/opt/python', is: ['/opt/python'] },
    { prefix: join(homedir(), '.pyenv/versions/3.12.1'), is: [join(homedir(), '.pyenv/versions/3.12.1')] },
  ])('of an interpreter with the prefix $prefix, $is is shown to code', ({ prefix, is }) => {
    const command = join(newFolder(), 'python');
    writeFileSync(command, `#!/bin/sh\necho '${JSON.stringify([command, '3.12.1', prefix, prefix])}'\n`, {
      mode: 0o755,
    });
    expect([...interpretersFor(command, {})].map(({ folders }) => folders)).toEqual([is]);
  });

  it('an interpreter that nobody has is told apart', () => {
    expect(() => chooseSandbox('auto', interpretersFor('/no/python', {}), base)).toThrow(NoInterpreterError);
    expect(() => runPython({ python: '/no/python', asRoot: true })).toThrow(/\/no\/python is not there/);
  });

  it.each([
    { who: 'root', here: { uid: 0, isContainer: false }, isMeant: false, as: 'nobody, and is refused' },
    { who: 'root who says so', here: { uid: 0, isContainer: false }, isMeant: true, as: 65_534 },
    { who: 'root of a container', here: { uid: 0, isContainer: true }, isMeant: false, as: 65_534 },
    { who: 'anybody else', here: { uid: 1_000, isContainer: false }, isMeant: false, as: null },
  ])('code of $who runs as $as', ({ here, isMeant, as }) => {
    const runsAs = () => uidForCode(isMeant, here);
    if (typeof as === 'string') expect(runsAs).toThrow(/--as-root/);
    else expect(runsAs()).toBe(as);
  });
});
