// What a sandbox costs: one line of Python, bare and in each sandbox that works here.
// node bench/sandbox.mjs [TIMES]   (after npm run build)
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPython } from 'turnstile-agent';

const times = Number(process.argv[2] ?? 40);
const workdir = mkdtempSync(join(tmpdir(), 'turnstile-bench-'));
chmodSync(workdir, 0o755);

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const context = {
  runId: 'bench',
  callId: 'call',
  workdir,
  signal: new AbortController().signal,
  texts: { runPython: { noOutput: () => '' } },
  hidden: [],
  tools: ['run_python'],
  report: () => undefined,
  redact: (text) => text,
  maxOutputCharacters: 30_000,
  noteOutputFile: () => undefined,
};

const tools = {};
for (const sandbox of ['none', 'bubblewrap', 'landlock']) {
  try {
    tools[sandbox] = runPython({ sandbox, asRoot: true, python: '/usr/bin/python3' });
  } catch (error) {
    console.log(`${sandbox}: ${error.message}`);
  }
}
// In turn, so that a busy moment of the machine meets all of them.
const took = Object.fromEntries(Object.keys(tools).map((name) => [name, []]));
for (let round = 0; round < times; round += 1) {
  for (const [name, tool] of Object.entries(tools)) {
    const before = performance.now();
    await tool.run({ code: 'print(1)' }, context);
    took[name].push(performance.now() - before);
  }
}
const bare = median(took.none);
for (const [name, list] of Object.entries(took)) {
  const more = name === 'none' ? '' : `   +${(median(list) - bare).toFixed(0)} ms`;
  console.log(`${name.padEnd(12)}${median(list).toFixed(0).padStart(5)} ms${more}   (median of ${times})`);
}
rmSync(workdir, { recursive: true, force: true });
