import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileJournal, journalPath } from '../../src/journal/file.ts';
import { readJournal } from '../../src/journal/read.ts';
import { transcriptOf } from '../../src/journal/transcript.ts';
import { failure, play, replies, text, toolUse } from '../support/world.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnstile-journal-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const world = {
  turns: [
    failure(),
    replies([text('I look.'), toolUse('a'), toolUse('w', 'write')]),
    replies([text('Done.')], 'end_turn', null),
  ],
  box: { asks: ['write'] },
};

describe('a journal file', () => {
  it('holds each line before the run goes on, and reads back as it was written', async () => {
    const path = join(await newFolder(), 'deep/run.jsonl');
    const journal = await fileJournal(path);
    const counts: number[] = [];
    const { lines } = await play({
      ...world,
      onLine: async (line) => {
        await journal.append(line);
        counts.push((await readFile(path, 'utf8')).trimEnd().split('\n').length);
      },
    });
    await journal.close();
    expect(counts).toEqual(lines.map((_, index) => index + 1));
    expect(await readJournal(path)).toEqual(JSON.parse(JSON.stringify(lines)));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is made new: one that is there is not touched', async () => {
    const path = join(await newFolder(), 'run.jsonl');
    await writeFile(path, 'mine');
    await expect(fileJournal(path)).rejects.toThrow('EEXIST');
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it.each(['/proc/turnstile-none/runs', '/proc/turnstile-none'])(
    'fails at once where no folder can be made: %s',
    async (folder) => {
      await expect(fileJournal(join(folder, 'run.jsonl'))).rejects.toThrow(/ENOENT|EACCES|EPERM|EROFS/);
    },
  );

  it('lies in a state folder that hides itself from git', async () => {
    const state = join(await newFolder(), '.turnstile');
    expect(await journalPath(state, 'abc')).toBe(join(state, 'runs/abc.jsonl'));
    expect(await readFile(join(state, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('F03: leaves out a last line that was torn, and keeps one that lacks only its newline', async () => {
    const { lines } = await play(world);
    const whole = lines.map((line) => JSON.stringify(line));
    const path = join(await newFolder(), 'run.jsonl');
    const last = whole.at(-1) ?? '';
    for (let cut = 0; cut <= last.length; cut += 1) {
      await writeFile(path, `${whole.slice(0, -1).join('\n')}\n${last.slice(0, cut)}`);
      expect(await readJournal(path)).toHaveLength(cut === last.length ? lines.length : lines.length - 1);
    }
  });

  it.each([
    { what: 'a damaged line', text: '{"type":"run.started"', says: /line 1/ },
    { what: 'another program’s JSON', text: '{}', says: /line 1 is no line of a journal/ },
    {
      what: 'a newer format',
      text: '{"type":"run.started","format":2}',
      says: /format 2: a newer version of turnstile wrote it/,
    },
    { what: 'bytes that are NUL', text: '\0\0\0', says: /line 1 is not JSON/ },
  ])('that is $what is refused, and it is said where', async ({ text: content, says }) => {
    const path = join(await newFolder(), 'run.jsonl');
    await writeFile(path, `${content}\n`);
    await expect(readJournal(path)).rejects.toThrow(says);
  });
});

describe('a transcript', () => {
  it('has usage, stop_reason and cost of every turn, every attempt, and what became of every call', async () => {
    const { lines } = await play(world);
    const transcript = transcriptOf(lines);
    expect(transcript.turns).toMatchObject([
      {
        turn: 1,
        stop_reason: 'tool_use',
        usage: { input_tokens: 100, output_tokens: 10 },
        requests: [
          { outcome: 'model.failed', error: 'Overloaded', usage: null },
          { outcome: 'model.called_tools' },
        ],
        calls: [
          { id: 'a', verdict: 'allow', outcome: 'succeeded', decision: null },
          { id: 'w', verdict: 'ask', outcome: 'succeeded', decision: { decision: 'approve', by: 'person' } },
        ],
      },
      { turn: 2, stop_reason: 'end_turn', usage: null, cost_usd: null, calls: [] },
    ]);
    for (const call of transcript.turns[0]?.calls ?? []) {
      expect([call.started_at, call.ended_at]).toEqual([expect.any(String), expect.any(String)]);
    }
    expect(JSON.stringify(transcript)).not.toMatch(/NaN|undefined/);
    expect(transcript.result).toMatchObject({ state: 'stopped', answer: 'Done.', is_usage_incomplete: true });
  });

  it('of a run that failed ends with the turn that has no response', async () => {
    const { lines } = await play({ turns: [failure({ isRetryable: false })] });
    expect(transcriptOf(lines).turns).toMatchObject([
      { turn: 1, stop_reason: null, requests: [{ outcome: 'model.failed' }] },
    ]);
  });

  it('begins with a header, or is none', () => {
    expect(() => transcriptOf([])).toThrow(/header/);
  });
});
