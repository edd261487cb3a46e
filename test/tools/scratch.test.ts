import { existsSync, mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished, vi } from 'vitest';
import { removeTree } from '../../src/tools/remove-tree.ts';
import { scratchFolders } from '../../src/tools/scratch.ts';

/** Not a process id: the kernel's largest is below it. */
const NOBODYS = 4_194_305;

it('a temporary folder goes when a call leaves nothing in it, and stays for the run when one does', () => {
  const { take, leave } = scratchFolders(undefined, null);
  const empty = take('run');
  leave('run');
  expect(existsSync(empty)).toBe(false);
  const used = take('run');
  onTestFinished(() => removeTree(used));
  writeFileSync(join(used, 'kept'), '');
  leave('run');
  expect(take('run')).toBe(used);
});

it('a temporary folder stays while another call of the run is under way', () => {
  const { take, leave } = scratchFolders(undefined, null);
  const folder = take('run');
  take('run');
  leave('run');
  expect(existsSync(folder)).toBe(true);
  leave('run');
  expect(existsSync(folder)).toBe(false);
});

it('a folder that was named stays, empty or not', () => {
  const base = mkdtempSync(join(tmpdir(), 'scratches-'));
  onTestFinished(() => removeTree(base));
  const { take, leave } = scratchFolders(base, null);
  take('run');
  leave('run');
  expect(readdirSync(base)).toEqual(['run']);
});

it('what a run has left goes with its tool', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const folder = leftBehind();
  expect(existsSync(folder)).toBe(true);
  await vi.waitUntil(
    () => {
      collect();
      return !existsSync(folder);
    },
    { timeout: 20_000 },
  );
});

function leftBehind(): string {
  const { take, leave } = scratchFolders(undefined, null);
  const folder = take('run');
  writeFileSync(join(folder, 'kept'), '');
  leave('run');
  return folder;
}

it('what a killed process has left goes after a day, and nothing of a living one', async () => {
  const base = mkdtempSync(join(tmpdir(), 'temporary-'));
  onTestFinished(() => removeTree(base));
  vi.stubEnv('TMPDIR', base);
  onTestFinished(() => void vi.unstubAllEnvs());
  const old = new Date(Date.now() - 25 * 60 * 60 * 1_000);
  const kept = [
    `turnstile-scratch-${process.pid}-AbCdEf`,
    'turnstile-scratch-AbCdEf',
    `turnstile-scratch-${NOBODYS}-AbCdEf-x`,
  ];
  const all = [...kept, `turnstile-scratch-${NOBODYS}-GhIjKl`];
  for (const name of all) {
    mkdirSync(join(base, name));
    utimesSync(join(base, name), old, old);
  }
  const young = `turnstile-scratch-${NOBODYS}-MnOpQr`;
  mkdirSync(join(base, young));
  vi.resetModules();
  const fresh = await import('../../src/tools/scratch.ts');
  const { take, leave } = fresh.scratchFolders(undefined, null);
  take('run');
  leave('run');
  expect(readdirSync(base).toSorted()).toEqual([...kept, young].toSorted());
});
