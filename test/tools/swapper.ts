/** Another process that swaps what a path leads to, again and again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newFolder } from './box.ts';

export interface Swapped {
  readonly work: string;
  readonly outside: string;
  /** Until all swaps are done. */
  readonly isSwapping: () => boolean;
}

const instead = (make: string): string =>
  `${make}; fs.renameSync(file, 'was'); fs.renameSync('new', file); fs.renameSync('was', file);`;

const SWAPS = {
  'a link out': instead(`fs.symlinkSync(outside + '/in.txt', 'new')`),
  'a hard link out': instead(`fs.linkSync(outside + '/in.txt', 'new')`),
  'a link to a device': instead(`fs.symlinkSync('/dev/zero', 'new')`),
  'a pipe': instead(`cp.execFileSync('mkfifo', ['new'])`),
  'a folder': `fs.renameSync(file, 'was'); fs.mkdirSync(file); fs.rmdirSync(file); fs.renameSync('was', file);`,
  // A tool that writes may make the folder anew in between.
  'a folder that is a link out': `
    fs.renameSync('work/sub', 'was');
    const gone = () => fs.rmSync('work/sub', { recursive: true, force: true });
    const retry = (act) => { for (;;) try { gone(); return act(); } catch {} };
    retry(() => fs.symlinkSync(outside, 'work/sub'));
    retry(() => fs.renameSync('was', 'work/sub'));`,
} as const;

export type Swap = keyof typeof SWAPS;

/** `work` is the workspace, `outside` is beside it. */
export async function folders(): Promise<Readonly<Record<'folder' | 'work' | 'outside', string>>> {
  const folder = await newFolder();
  const work = join(folder, 'work');
  const outside = join(folder, 'outside');
  await mkdir(join(work, 'sub'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(work, 'sub/in.txt'), 'inside');
  await writeFile(join(outside, 'in.txt'), 'secret');
  return { folder, work, outside };
}

/** `work/sub/in.txt` holds "inside", and `outside/in.txt` "secret". */
export async function swapped(swap: Swap, times: number): Promise<Swapped> {
  const { folder, work, outside } = await folders();
  const script = `
    const fs = require('node:fs'), cp = require('node:child_process');
    const outside = ${JSON.stringify(outside)};
    const file = 'work/sub/in.txt';
    for (let i = 0; i < ${times}; i++) { ${SWAPS[swap]} }`;
  const child = spawn(process.execPath, ['-e', script], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let isSwapping = true;
  const ended = once(child, 'exit');
  child.once('exit', () => {
    isSwapping = false;
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { work, outside, isSwapping: () => isSwapping };
}
