import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replay, show } from '../../src/cli/look.ts';
import { showRuns } from '../../src/cli/runs.ts';
import type { Io } from '../../src/cli/io.ts';
import { readAll } from '../../src/cli/io.ts';
import { clean } from '../verify/recorded.ts';

const HOSTILE = '\u001b[2J\u202e\u200b';
// eslint-disable-next-line no-control-regex -- control characters are the subject
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]/;

/** The same document once for each string in it, which has become hostile. */
function* hostile(value: unknown): Generator {
  if (typeof value === 'string') yield value + HOSTILE;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value))
    for (const changed of hostile(part))
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
}

const COMMANDS = {
  show: (stateDir: string, io: Io) => show('x', { stateDir }, io),
  replay: (stateDir: string, io: Io) => replay('x', { stateDir }, io),
  runs: (stateDir: string, io: Io) => showRuns({ stateDir }, io),
};

/** What a command prints of a journal; null when it refuses it. */
async function printed(command: keyof typeof COMMANDS, stateDir: string): Promise<string | null> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  try {
    await COMMANDS[command](stateDir, { stdin: new PassThrough().end(), stdout, stderr, env: {} });
  } catch {
    return null;
  }
  return (await readAll(stdout.end())) + (await readAll(stderr.end()));
}

describe('E06: whatever string of a journal is hostile', () => {
  it.each(['show', 'replay', 'runs'] as const)(
    'turnstile %s prints no control character',
    async (command) => {
      const stateDir = await mkdtemp(join(tmpdir(), 'turnstile-look-'));
      onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
      await mkdir(join(stateDir, 'runs'));
      const lines = clean();
      let shown = 0;
      for (const changed of hostile(lines)) {
        const text = (changed as typeof lines).map((line) => `${JSON.stringify(line)}\n`).join('');
        await writeFile(join(stateDir, 'runs', 'x.jsonl'), text);
        const out = await printed(command, stateDir);
        if (out === null) continue;
        shown += 1;
        expect(out).not.toMatch(CONTROL);
      }
      expect(shown).toBeGreaterThan(50);
    },
  );
});
