import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, onTestFinished, vi } from 'vitest';
import { watchOver, type PassedLimit } from '../../src/sandbox/watch.ts';

const LIMITS = {
  memoryBytes: 2 ** 30,
  tasks: 64,
  fileBytes: 2 ** 30,
  diskBytes: 4_000_000,
  files: 100,
  cpuSeconds: 10,
  openFiles: 64,
  outputBytes: 1_000,
};

/** A disk is shared: what others delete meanwhile makes room, so its room alone says nothing. */
it.each<[string, PassedLimit, (folder: string) => void]>([
  ['many small files', 'files', (folder) => fill(folder, 101, 0)],
  ['a few large ones', 'disk', (folder) => fill(folder, 5, 1_000_000)],
])('%s pass a limit also where the room of the disk does not show it', async (_what, limit, write) => {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const passed = watchOver(LIMITS, [folder]);
  // At once: what is written in the same tick of the clock counts as well.
  write(folder);
  await vi.waitUntil(async () => (await passed(process.pid, 0)) === limit, { timeout: 60_000, interval: 20 });
});

function fill(folder: string, count: number, bytes: number): void {
  for (let index = 0; index < count; index += 1)
    writeFileSync(join(folder, `${index}`), Buffer.alloc(bytes, 1));
}
