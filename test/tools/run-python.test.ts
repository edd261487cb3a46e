import { readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ToolError, type ToolContext } from '../../src/tools/define-tool.ts';
import { ToolTimeout } from '../../src/tools/tool-timeout.ts';
import { findPython } from '../../src/sandbox/index.ts';
import { runPython, type RunPythonOptions } from '../../src/tools/run-python.ts';
import { contextIn } from './box.ts';
import { ESCAPES, family, processesWith, temporaryFolder } from './python-call.ts';

const python = findPython(process.env)?.path ?? 'python3';

const contextWith = (changes: Partial<ToolContext> = {}): ToolContext =>
  contextIn(temporaryFolder(), changes);

const run = (
  code: string,
  options: RunPythonOptions = {},
  context: Partial<ToolContext> = {},
): Promise<string> =>
  runPython({ python, timeoutMs: 10_000, sandbox: 'none', ...options }).run({ code }, contextWith(context));

async function errorOf(result: Promise<string>): Promise<ToolError> {
  const error = await result.then(
    (text) => new Error(`It succeeded: ${text}`),
    (reason: unknown) => reason,
  );
  if (error instanceof ToolError) return error;
  throw error;
}

describe('run_python returns', () => {
  it.each([
    { what: 'what was printed', code: 'print(6 * 7)', expected: '42\n' },
    { what: 'a note where nothing was printed', code: 'x = 1', expected: '(no output)' },
    { what: 'a note where only blanks were printed', code: 'print(" ")', expected: '(no output)' },
    { what: 'a warning', code: 'import sys; print("w", file=sys.stderr)', expected: 'w\n' },
    {
      what: 'both streams under their names',
      code: 'import sys; print("A", end=""); print("B", file=sys.stderr)',
      expected: 'stdout:\nA\n\nstderr:\nB\n',
    },
    { what: 'Chinese', code: 'print("你好,世界 😀")', expected: '你好,世界 😀\n' },
    {
      what: 'E07: what a shell would read',
      code: 'print(r"""\'; $(id) `id` "; \\n""")',
      expected: '\'; $(id) `id` "; \\n\n',
    },
    {
      what: 'E07: the result of 200 kB of code',
      code: `x = "${'y'.repeat(200_000)}"; print(len(x))`,
      expected: '200000\n',
    },
  ])('$what', async ({ code, expected }) => {
    expect(await run(code)).toBe(expected);
  });

  it('D07: characters whole, written byte by byte and by the ten thousands', async () => {
    const code = `
import os, time
for byte in '€'.encode():
    os.write(1, bytes([byte])); os.write(2, b'!'); time.sleep(0.05)
os.write(1, ('汉' * 50_000).encode())`;
    const text = await run(code, { maxOutputBytes: 400_000 });
    expect(text).toBe(`stdout:\n€${'汉'.repeat(50_000)}\n\nstderr:\n!!!`);
  });
});

describe('run_python runs code', () => {
  it('in the workspace, and leaves nothing else behind', async () => {
    const workdir = temporaryFolder();
    const code =
      'import os, tempfile; print(os.getcwd()); open("a.txt", "w"); print(tempfile.mkdtemp(), __file__)';
    const [cwd, ...paths] = (await run(code, {}, { workdir })).trim().split(/\s/);
    expect(cwd).toBe(workdir);
    expect(readdirSync(workdir)).toEqual(['a.txt']);
    expect(paths).toHaveLength(2);
    for (const path of paths) expect(() => statSync(path)).toThrow('ENOENT');
  });

  it('D11: with standard input at its end', async () => {
    const startedAt = performance.now();
    const { message } = await errorOf(run('input("name? ")'));
    expect(message).toContain('EOFError');
    expect(message).toContain('name? ');
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it('D13: with an environment that holds no secret', async () => {
    const secrets = {
      ANTHROPIC_API_KEY: 'secret-1',
      AWS_SECRET_ACCESS_KEY: 'secret-2',
      DATABASE_URL: 'secret-3',
      FOO_TOKEN: 'secret-4',
      PATH_TOKEN: 'secret-5',
      PYTHONSTARTUP: 'secret-6',
    };
    const env = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'Asia/Tokyo', HOME: '/home/me', ...secrets };
    const text = await run('import os, json; print(json.dumps(dict(os.environ)))', { env });
    expect(Object.keys(JSON.parse(text)).toSorted()).toEqual([
      'HOME',
      'LC_ALL',
      'PATH',
      'PYTHONDONTWRITEBYTECODE',
      'PYTHONIOENCODING',
      'TMPDIR',
      'TURNSTILE_CALL',
      'TZ',
    ]);
    expect(text).not.toMatch(/secret|home.me/);
  });
});

describe('run_python fails', () => {
  it.each([
    {
      what: 'with the exit code',
      code: 'print("so far"); raise SystemExit(3)',
      says: ['exit code 3', 'so far'],
    },
    {
      what: 'with the traceback',
      code: 'print("so far"); 1 / 0',
      says: ['exit code 1', 'so far', 'ZeroDivisionError', 'line 1'],
    },
    {
      what: 'with the name of the signal',
      code: 'import os; print("so far"); os.kill(os.getpid(), 9)',
      says: ['SIGKILL', 'so far'],
    },
    { what: 'at a syntax error', code: 'print(', says: ['exit code 1', 'SyntaxError'] },
  ])('$what', async ({ code, says }) => {
    const { message } = await errorOf(run(code));
    for (const part of says) expect(message).toContain(part);
  });

  it('and says why Python could not be started: it has gone away', async () => {
    const path = join(temporaryFolder(), 'python3');
    symlinkSync(python, path);
    const tool = runPython({ python: path, sandbox: 'none' });
    rmSync(path);
    const { message } = await errorOf(tool.run({ code: '1' }, contextWith()));
    expect(message).toContain(`${path} ENOENT`);
  });
});

describe('run_python without Python', () => {
  it.each([
    {
      what: 'none on the PATH',
      options: { env: { PATH: '/nowhere' } },
      says: /No python3.*--tools read_file/,
    },
    { what: 'no such file', options: { python: '/no/such/python' }, says: /\/no\/such\/python is not there/ },
    { what: 'another program', options: { python: '/bin/true' }, says: /or no Python 3/ },
  ])('is refused before a run: $what', ({ options, says }) => {
    for (const sandbox of ['none', 'auto'] as const)
      expect(() => runPython({ ...options, sandbox })).toThrow(says);
  });
});

describe('run_python at its time limit', () => {
  it('D09, D10: says the limit and shows both streams, though nothing was flushed', async () => {
    const code = 'import sys, time; print("step 1"); print("B", file=sys.stderr); time.sleep(20)';
    const error = await errorOf(run(code, { timeoutMs: 1_500 }));
    expect(error).toBeInstanceOf(ToolTimeout);
    expect(error).toMatchObject({ afterMs: 1_500 });
    expect(error.message).toContain('1.5 s');
    expect(error.message).toContain('stdout:\nstep 1\n\nstderr:\nB\n');
    expect(error.message).toContain('prints its progress');
  });

  it('D04: has ended what the code started', async () => {
    const { word, code } = family(ESCAPES[2]);
    await errorOf(run(code('time.sleep(20)'), { timeoutMs: 800 }));
    expect(processesWith(word)).toEqual([]);
  });

  it('D05: is on time under a flood, with bounded memory and text', async () => {
    const before = process.memoryUsage.rss();
    const startedAt = performance.now();
    const code = 'while True: print("x" * 1000)';
    const { message } = await errorOf(run(code, { timeoutMs: 1_000, maxOutputBytes: 5_000 }));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
    expect(message).toMatch(/\[\d{5,} bytes left out here/);
    expect(message.length).toBeLessThan(6_000);
  });
});

describe('run_python, when the call is aborted,', () => {
  it('has reported what there was, and ends soon', async () => {
    const controller = new AbortController();
    const reports: string[] = [];
    const report = (text: string): void => {
      reports.push(text);
      if (text.includes('step 1')) controller.abort(new Error('the user stopped'));
    };
    const code = 'import time; print("step 1"); time.sleep(20)';
    const startedAt = performance.now();
    await expect(run(code, {}, { signal: controller.signal, report })).rejects.toThrow('the user stopped');
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(reports.at(-1)).toBe('step 1\n');
  });
});

describe('output that is cut', () => {
  it('D06: is longer than a string can be, keeps its head, tail and exit code, and fills no memory', async () => {
    const code = `
import os
os.write(1, b'first')
for _ in range(700): os.write(1, b'x' * 1_000_000)
os.write(1, b'last')
raise SystemExit(7)`;
    const before = process.memoryUsage.rss();
    const { message } = await errorOf(run(code, { timeoutMs: 50_000 }));
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
    expect(message).toMatch(/exit code 7[^]*first[^]*699980009 bytes left out here[^]*last/);
    expect(message.length).toBeLessThan(21_000);
  });

  it('shares the limit fairly between the streams', async () => {
    const code = 'import sys; print("o" * 9_000); print("e" * 300, file=sys.stderr)';
    const text = await run(code, { maxOutputBytes: 1_000 });
    expect(text.match(/o{20,}/g)?.join('')).toHaveLength(698);
    expect(text).toContain('e'.repeat(300));
  });

  it.each([
    { bytes: 900, isKept: false },
    { bytes: 70_000_000, isKept: true },
  ])('of $bytes bytes is kept for people: $isKept, up to 64 MB', async ({ bytes, isKept }) => {
    const outputDir = join(temporaryFolder(), 'output');
    const kept: string[] = [];
    const options = { outputDir, maxOutputBytes: 1_000, onOutputKept: (path: string) => kept.push(path) };
    const text = await run(`import os, sys; sys.stdout.write("z" * ${bytes})`, options);
    expect(kept).toEqual(readdirSync(outputDir).map((name) => join(outputDir, name)));
    expect(kept.map((path) => [statSync(path).size, statSync(path).mode & 0o777])).toEqual(
      isKept ? [[64_000_000, 0o600]] : [],
    );
    expect(kept.every((path) => readFileSync(path, 'latin1').startsWith('zzz'))).toBe(true);
    expect(text).not.toContain(outputDir);
  });

  it('is no failure of the call where the file cannot be written', async () => {
    expect(await run('print(1)', { outputDir: '/dev/null/x' })).toBe('1\n');
  });
});

describe('the file of output that was cut', () => {
  it.each([
    { what: 'the limit of the tool', options: { maxOutputBytes: 1_000 }, context: {} },
    {
      what: 'the limit of all results',
      options: { maxOutputBytes: 100_000 },
      context: { maxOutputCharacters: 30_000 },
    },
  ])(
    'by $what is named by run and call, in the fact; the model is told that there is one',
    async ({ options, context }) => {
      const outputDir = temporaryFolder();
      const noted: string[] = [];
      const noteOutputFile = (name: string): void => void noted.push(name);
      const text = await run(
        'print("z" * 40_000)',
        { ...options, outputDir },
        { ...context, noteOutputFile },
      );
      expect(noted).toEqual(['run1-call-1.txt']);
      expect(readdirSync(outputDir)).toEqual(noted);
      expect(text).toMatch(/bytes left out here; the person who runs you has more of it in a file/);
      expect(text.length).toBeLessThan(context.maxOutputCharacters ?? 2_000);
    },
  );

  it.each(['../../a', 'a/b', '', '.', 'x'.repeat(300), 'ä'])(
    'stays in its folder when the call is %j',
    async (callId) => {
      const outputDir = join(temporaryFolder(), 'output');
      await run('print("z" * 40_000)', { outputDir }, { callId });
      expect(readdirSync(outputDir)).toEqual([expect.stringMatching(/^run1-[\w-]{1,80}\.txt$/)]);
    },
  );

  it('is not promised where it cannot be written', async () => {
    expect(await run('print("z" * 40_000)', { outputDir: '/dev/null/x' })).not.toContain('in a file');
  });
});

it.each([
  { maxOutputBytes: 5_000, shown: 5_000 },
  { maxOutputBytes: 100_000, shown: 29_000 },
])(
  'run_python with $maxOutputBytes bytes of output says that $shown are shown',
  ({ maxOutputBytes, shown }) => {
    expect(runPython({ maxOutputBytes, sandbox: 'none' }).definition.description).toContain(
      `more than ${shown} bytes`,
    );
  },
);

describe('run_python takes no', () => {
  it.each([
    { timeoutMs: NaN },
    { timeoutMs: 0 },
    { timeoutMs: -1 },
    { timeoutMs: Infinity },
    { maxOutputBytes: NaN },
    { maxOutputBytes: -1 },
    { maxOutputBytes: Infinity },
  ])('%j', (options) => {
    expect(() => runPython(options)).toThrow(TypeError);
    expect(() => runPython(options)).toThrow(/^run_python: (timeoutMs|maxOutputBytes)/);
  });
});

describe('findPython', () => {
  it('finds the interpreter itself and its version', async () => {
    const found = findPython(process.env);
    expect(found?.version).toMatch(/^3\.\d+\.\d+/);
    expect(await run('import sys; print(sys.executable)')).toBe(`${found?.path}\n`);
  });
});
