import { open, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Journal } from '../ports.ts';
import { makeFolder } from './make-folder.ts';

/**
 * A journal in a file of its own: one JSON document a line, each flushed to disk before the run goes on.
 * The file must not exist; it is readable by its owner only.
 * @throws the error of the file system: nothing of the run has happened yet
 */
export async function fileJournal(path: string): Promise<Journal & { close(): Promise<void> }> {
  await makeFolder(dirname(path));
  const file = await open(path, 'ax', 0o600);
  return {
    append: (line) => appendLine(file, JSON.stringify(line)),
    close: () => file.close(),
  };
}

async function appendLine(file: FileHandle, json: string): Promise<void> {
  await file.appendFile(`${json}\n`);
  await file.datasync();
}

/** Where the journal of a run lives in a state folder. The folder hides itself from git. */
export async function journalPath(stateDir: string, runId: string): Promise<string> {
  await makeFolder(stateDir);
  await writeFile(join(stateDir, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => undefined);
  return join(stateDir, 'runs', `${runId}.jsonl`);
}
