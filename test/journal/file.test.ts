import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import addon from 'fs-native-extensions';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAgent, fileJournal, openJournal, readJournal, UserError } from '../../src/index.ts';
import { isJournalLocked, lockJournal } from '../../src/journal/lock.ts';
import { scripted } from '../../src/testing/index.ts';

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnstile journal '));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'runs', 'r.jsonl');
}

/** A run that has ended, in a file. */
async function written(): Promise<string> {
  const path = newPath();
  const journal = await fileJournal(path);
  await createAgent({ model: scripted([{ say: 'Done.' }]), journal }).start('Say done.').result;
  await journal.close();
  return path;
}

describe('a journal file', () => {
  it('is its owner’s only, and is never overwritten', async () => {
    const path = await written();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(fileJournal(path)).rejects.toThrow('EEXIST');
    expect((await readJournal(path)).map(({ type }) => type)).toEqual([
      'run.started',
      'model.answered',
      'run.ended',
    ]);
  });

  it.each([
    { what: 'its first byte', torn: '{', tornBytes: 1, lines: 3 },
    { what: 'half of a line', torn: '{"type":"run.res', tornBytes: 16, lines: 3 },
    { what: 'half a character', torn: Buffer.from([0x7b, 0x22, 0xe4]), tornBytes: 3, lines: 3 },
    {
      what: 'a line but for its newline',
      torn: '{"type":"retry.due","at":"2026-01-01T00:00:00.000Z"}',
      tornBytes: 0,
      lines: 4,
    },
  ])('F03: goes on behind $what that a dead writer left', async ({ torn, tornBytes, lines }) => {
    const path = await written();
    appendFileSync(path, torn);
    const journal = await openJournal(path);
    expect({ tornBytes: journal.tornBytes, lines: journal.lines.length }).toEqual({ tornBytes, lines });
    await journal.append({ type: 'retry.due', at: '2026-01-01T00:00:00.000Z' });
    await journal.close();
    expect((await readJournal(path)).map(({ type }) => type).slice(lines)).toEqual(['retry.due']);
    expect(readFileSync(path, 'utf8').endsWith('}\n')).toBe(true);
  });

  it('is not opened when a line in its middle is damaged: the error names it', async () => {
    const path = await written();
    const [first, , ...rest] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, [first, 'x', ...rest].join('\n'));
    await expect(openJournal(path)).rejects.toThrow(/line 2 is not JSON/);
    expect(await isJournalLocked(path)).toBe(false);
  });

  it('is not made by opening it', async () => {
    const path = newPath();
    await expect(openJournal(path)).rejects.toThrow('ENOENT');
    expect(existsSync(path.replace('.jsonl', '.lock'))).toBe(false);
  });

  it('takes no line once its file was removed, nor any after that', async () => {
    const path = newPath();
    const journal = await fileJournal(path);
    const run = createAgent({ model: scripted([{ say: 'Done.' }]), journal });
    rmSync(path);
    const { result } = run.start('Say done.');
    await expect(result).rejects.toThrow(/journal cannot be written: the file was removed/);
    writeFileSync(path, '');
    await expect(journal.append({ type: 'retry.due', at: '' })).rejects.toThrow(UserError);
    await journal.close();
  });
});

describe('the lock of a journal', () => {
  it('F12: keeps a second writer out, and tells its pid', async () => {
    const path = await written();
    const journal = await openJournal(path);
    expect(await isJournalLocked(path)).toBe(true);
    await expect(openJournal(path)).rejects.toThrow(`under way in process ${process.pid}`);
    await journal.close();
    expect(await isJournalLocked(path)).toBe(false);
    await (await openJournal(path)).close();
  });

  it('keeps out a writer of another process', async () => {
    const path = await written();
    const journal = await openJournal(path);
    const code = `import { openJournal } from ${JSON.stringify(new URL('../../dist/src/index.js', import.meta.url).href)};
await openJournal(process.argv[1]).then(() => console.log('opened'), (error) => console.log(error.message));`;
    const second = () =>
      execFileSync(process.execPath, ['--input-type=module', '-e', code, path], { encoding: 'utf8' });
    expect(second()).toContain(`under way in process ${process.pid}`);
    await journal.close();
    expect(second()).toBe('opened\n');
  });

  it('is not taken from a writer by those who only look, be they many', async () => {
    const path = await written();
    const looking = await open(path.replace('.jsonl', '.lock'), 'r+');
    expect(addon.tryLock(looking.fd, { shared: true })).toBe(true);
    expect(await isJournalLocked(path)).toBe(false);
    let pauses = 0;
    const lock = await lockJournal(path, async () => {
      pauses += 1;
      if (pauses === 3) await looking.close();
    });
    expect(pauses).toBe(3);
    expect(await isJournalLocked(path)).toBe(true);
    const noPause = (): Promise<void> => Promise.reject(new Error('It waited for a writer.'));
    await expect(lockJournal(path, noPause)).rejects.toThrow(`under way in process ${process.pid}`);
    await lock.release();
  });

  it('dies with its process: whatever the file says', async () => {
    const path = await written();
    writeFileSync(path.replace('.jsonl', '.lock'), '1');
    expect(await isJournalLocked(path)).toBe(false);
    await (await openJournal(path)).close();
  });
});
