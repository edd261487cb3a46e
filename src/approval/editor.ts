import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Has a person change a text. `name` says what kind of file it is (`call.py`).
 * @throws {Error} with a message for people when there is no changed text
 */
export type Edit = (text: string, name: string, signal: AbortSignal) => Promise<string>;

/** The person's own editor, $VISUAL or $EDITOR, on a file that nobody else can read and that is removed afterwards. */
export const editWith =
  (env: Readonly<Record<string, string | undefined>>): Edit =>
  async (text, name, signal) => {
    const editor = env['VISUAL'] || env['EDITOR'];
    if (!editor) throw new Error('There is no editor. Set VISUAL or EDITOR.');
    const folder = await mkdtemp(join(tmpdir(), 'turnstile-edit-'));
    try {
      const file = join(folder, name);
      await writeFile(file, text, { mode: 0o600 });
      await open(editor, file, signal);
      const edited = await readFile(file, 'utf8');
      // Most editors end the last line, whether it was ended or not.
      return text.endsWith('\n') ? edited : edited.replace(/\r?\n$/, '');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

/** The variable may hold options as well (`code --wait`), so a shell splits it; the file's name is not part of it. */
function open(editor: string, file: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // Standard output carries the answer and may be a pipe; the terminal is where questions go.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], {
      stdio: ['inherit', 2, 2],
      signal,
    });
    child.on('error', (error) => reject(new Error(`The editor (${editor}) failed: ${error.message}`)));
    child.on('close', (code, killedBy) => {
      if (code === 0) resolve();
      else reject(new Error(`The editor (${editor}) failed with ${code ?? killedBy}. Nothing was changed.`));
    });
  });
}
