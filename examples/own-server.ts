/** The real client against a strict server in this process: how to test an agent over HTTP, and keep its journal. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anthropic, createAgent, fileJournal, readFile, readJournal, transcriptOf } from 'turnstile-agent';
import { fails, says, startStrictServer, toolUse } from 'turnstile-agent/testing';

const folder = await mkdtemp(join(tmpdir(), 'turnstile-example-'));
const replies = [
  fails(529, 'overloaded_error', 'Overloaded', { headers: { 'retry-after-ms': '1' } }),
  says(toolUse('read_file', { path: 'none.txt' })),
  says('There is no such file.'),
];
const server = await startStrictServer({ respond: ({ index }) => replies[index] ?? says('?') });
const path = join(folder, 'run.jsonl');
const journal = await fileJournal(path);
try {
  const agent = createAgent({
    model: anthropic('claude-haiku-5-5', { baseURL: server.url, apiKey: 'test' }),
    tools: [readFile()],
    workdir: folder,
    limits: { maxUsd: 0.05 },
    journal,
  });
  const result = await agent.start('What is in none.txt?').result;
  assert(result.state === 'stopped');
  assert.equal(result.answer, 'There is no such file.');

  const { turns } = transcriptOf(await readJournal(path));
  assert.equal(turns[0]?.requests.length, 2, 'the failed attempt is on record');
  console.log(`${turns.length} turns, ${result.costUsd} USD`);
} finally {
  await journal.close();
  await server.close();
  await rm(folder, { recursive: true });
}
