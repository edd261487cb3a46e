// What a journal costs: a line with and without fsync, as the file grows, and going on with a long run.
// node bench/journal.mjs [FOLDER]   (after npm run build; FOLDER names the file system that is measured)
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, defineTool, fileJournal, openJournal } from 'turnstile-agent';
import { memoryJournal, scripted } from 'turnstile-agent/testing';
import { z } from 'zod';

const folder = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'turnstile-bench-'));
const ms = (value) => `${value.toFixed(value < 10 ? 3 : 0)} ms`;
const LINES = 1_000;
const line = {
  type: 'user.interjected',
  at: new Date().toISOString(),
  text: 'x'.repeat(1_000),
  promptCost: { next: { nanoUsd: 0, tokens: 0 }, summary: { nanoUsd: 0, tokens: 0 } },
};

const mean = (list) => list.reduce((sum, time) => sum + time, 0) / list.length;

/** Mean time of an append, for the first and the last tenth. */
async function appends(append) {
  const times = [];
  for (let index = 0; index < LINES; index += 1) {
    const before = performance.now();
    await append(line);
    times.push(performance.now() - before);
  }
  return { first: mean(times.slice(0, LINES / 10)), last: mean(times.slice(-LINES / 10)) };
}

const fileSystem = execFileSync('df', ['-T', folder], { encoding: 'utf8' }).split('\n')[1]?.split(/\s+/)[1];
console.log(
  `File system: ${fileSystem}. ${LINES} lines of 1 KB each; mean of the first and of the last tenth.`,
);
const raw = join(folder, 'raw');
const bare = await appends(async (value) => appendFileSync(raw, `${JSON.stringify(value)}\n`));
console.log(`appendFileSync alone    ${ms(bare.first)}, ${ms(bare.last)}`);
for (const durability of ['os', 'full']) {
  const journal = await fileJournal(join(folder, `${durability}.jsonl`), { durability });
  const { first, last } = await appends((value) => journal.append(value));
  await journal.close();
  console.log(
    `--durability ${durability.padEnd(4)}       ${ms(first)}, ${ms(last)}   (${(last / bare.last).toFixed(1)} times)`,
  );
}

/** A run of many turns, made by the real loop. */
async function longRun(path, turns, bytes) {
  const memory = memoryJournal();
  const tool = defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.strictObject({}),
    effects: 'none',
    run: (_, { callId, noteOutputFile }) => {
      noteOutputFile(`${callId}.txt`);
      return 'x'.repeat(bytes);
    },
  });
  const calls = Array.from({ length: turns }, () => ({
    call: Array.from({ length: 8 }, () => ({ tool: 'look', input: {} })),
  }));
  const agent = createAgent({
    model: scripted([...calls, { say: 'Done.' }]),
    tools: [tool],
    journal: memory,
    limits: { maxTurns: turns + 2 },
  });
  await agent.start('Look.').result;
  appendFileSync(path, memory.lines.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return { lines: memory.lines.length, tool };
}

// Whole outputs lie beside a journal: no run reads them.
const piece = Buffer.alloc(1_000_000, 'x');
for (let index = 0; index < 200; index += 1) appendFileSync(join(folder, `output-${index % 4}.txt`), piece);

for (const [turns, bytes] of [
  [59, 4_000],
  [590, 4_000],
]) {
  const path = join(folder, `${turns}.jsonl`);
  const { lines, tool } = await longRun(path, turns, bytes);
  const before = performance.now();
  const journal = await openJournal(path);
  const opened = performance.now() - before;
  const script = [...Array.from({ length: turns + 1 }, () => ({ say: '-' })), { say: 'Done.' }];
  const agent = createAgent({ model: scripted(script), tools: [tool], journal, limits: {} });
  const run = agent.resume(journal.lines, { message: 'And?', limits: { maxTurns: turns + 10 } });
  const folded = performance.now() - before - opened;
  await run.result;
  const size = (statSync(path).size / 1e6).toFixed(1);
  console.log(
    `${lines} lines, ${size} MB, 200 MB of outputs beside it: read in ${ms(opened)}, folded in ${ms(folded)}, went on in ${ms(performance.now() - before)}; ${Math.round(process.memoryUsage().rss / 1e6)} MB resident`,
  );
  await journal.close();
}
rmSync(folder, { recursive: true, force: true });
