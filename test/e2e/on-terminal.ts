import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import type { Reply, StrictServer } from '../../src/testing/index.ts';
import { BARE, BIN, folderWith, keyed, serverOf } from './command.ts';

const player = fileURLToPath(new URL('terminal.py', import.meta.url));
/** What the question for approval ends with. */
export const QUESTION = '[q]uit';

export interface Played {
  /** What the terminal shows, without its colours. */
  readonly screen: string;
  /** Every byte that reached the terminal. */
  readonly raw: string;
  readonly code: number;
  readonly folder: string;
  /** Body of the second request, as JSON. */
  readonly second: string;
  readonly requests: StrictServer['requests'];
}

/** Plays a run on a real terminal. Each step waits for a text and types another. */
export async function onTerminal(
  replies: readonly Reply[],
  steps: readonly (readonly [string, string])[],
  {
    args = [],
    editor = 'false',
    pipe,
  }: { readonly args?: readonly string[]; readonly editor?: string; readonly pipe?: string } = {},
): Promise<Played> {
  const folder = await folderWith({ 'a.txt': 'x' });
  const server = await serverOf(replies);
  const whole = [process.execPath, '--', BIN, 'do it', '--transcript', 't.json', ...args];
  const command = pipe === undefined ? whole : ['sh', '-c', `"$@" | ${pipe}`, 'sh', ...whole];
  const env = { ...BARE, ...keyed(server), TERM: 'xterm', EDITOR: editor };
  const job = JSON.stringify({ command, cwd: folder, env, steps });
  const { stdout } = await promisify(execFile)('python3', [player, job]);
  // Written by the script beside this file.
  const { screen, code } = JSON.parse(stdout) as Pick<Played, 'screen' | 'code'>;
  const second = JSON.stringify(server.requests[1]?.body ?? null);
  const shown = stripVTControlCharacters(screen).replaceAll('\r\n', '\n');
  return { screen: shown, raw: screen, code, folder, second, requests: server.requests };
}
