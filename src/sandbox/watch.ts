/** Looks after all processes of a call together: the kernel's limits are those of each one. */
import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { namelessBytes } from './nameless-files.ts';
import { openUp } from './open-up.ts';
import { descendantsOf, memoryOf, processTable } from './process-table.ts';
import type { SandboxLimits } from './types.ts';

export type PassedLimit = 'memory' | 'tasks' | 'disk' | 'files' | 'output';

/** File systems date changes by a clock that is so much behind at most. */
const COARSE_MS = 10;
/** Processes of the sandbox itself: bubblewrap has two. */
const OWN_TASKS = 3;
/** The disk is so much fuller than at the start: the folders are looked at sooner. */
const DISK_STEP_BYTES = 32 * 1024 * 1024;
const FILES_STEP = 1_000;
/** A walk through the folders takes its time: of the machine's a tenth at most, a thirtieth when nothing speaks for it. */
const PAUSE = { fuller: { factor: 10, leastMs: 0 }, asBefore: { factor: 30, leastMs: 500 } };

/**
 * A function that names the limit which is passed, or null.
 * @param folders that the code can write to and that stay on the disk
 */
export function watchOver(
  limits: SandboxLimits,
  folders: readonly string[],
): (pid: number, printedBytes: number) => Promise<PassedLimit | null> {
  const startedAt = Date.now() - COARSE_MS;
  let before: readonly Room[] | null = null;
  let walked = { atMs: performance.now(), tookMs: 0, files: 0 };
  let nameless = { memory: 0, disk: 0 };
  return async (pid, printedBytes) => {
    if (printedBytes > limits.outputBytes) return 'output';
    const rows = descendantsOf(pid, processTable());
    if (sum(rows.map(({ threads }) => threads)) > limits.tasks + OWN_TASKS) return 'tasks';
    // Only where it may be too much: what is shared takes longer to tell apart.
    const memoryBytes = limits.memoryBytes - nameless.memory;
    const isMuch = sum(rows.map(({ residentBytes }) => residentBytes)) > memoryBytes;
    if (isMuch && memoryOf(rows) > memoryBytes) return 'memory';
    const rooms = await Promise.all(folders.map(roomOf));
    before ??= rooms;
    // Others fill and empty the same disk: that it is no fuller is no proof.
    const isLikely =
      walked.files * 4 > limits.files || rooms.some((room, index) => isFuller(before?.[index], room));
    const pause = isLikely ? PAUSE.fuller : PAUSE.asBefore;
    const startMs = performance.now();
    if (startMs < walked.atMs + Math.max(pause.leastMs, pause.factor * walked.tookMs)) return null;
    const used = await Promise.all(folders.map((folder) => usedSince(folder, startedAt, limits.files)));
    nameless = namelessBytes(rows);
    const files = sum(used.map((room) => room.files));
    walked = { atMs: performance.now(), tookMs: performance.now() - startMs, files };
    if (sum(used.map(({ bytes }) => bytes)) + nameless.disk > limits.diskBytes) return 'disk';
    return files > limits.files ? 'files' : null;
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

interface Room {
  readonly bytes: number;
  readonly files: number;
}

async function roomOf(folder: string): Promise<Room> {
  const { bfree, bsize, ffree } = await statfs(folder).catch(() => ({ bfree: 0, bsize: 0, ffree: 0 }));
  return { bytes: bfree * bsize, files: ffree };
}

const isFuller = (before: Room | undefined, now: Room): boolean =>
  before !== undefined &&
  (before.bytes - now.bytes > DISK_STEP_BYTES || before.files - now.files > FILES_STEP);

/** What has changed in a folder since; it is counted no further than needed. What code keeps from being counted is too much. */
async function usedSince(folder: string, since: number, maxFiles: number): Promise<Room> {
  let bytes = 0;
  let files = 0;
  const waiting = [folder];
  for (let path = waiting.pop(); path !== undefined && files <= maxFiles; path = waiting.pop()) {
    const stats = await lstat(path).catch(unlessGone);
    if (stats === 'unknown') return { bytes, files: Infinity };
    if (stats === null) continue;
    const isNew = stats.ctimeMs >= since;
    if (isNew && path !== folder) files += 1;
    if (isNew) bytes += stats.blocks * 512;
    if (!stats.isDirectory()) continue;
    const isOfCode = isNew && stats.uid === process.getuid?.();
    if (isOfCode && (stats.mode & OPEN) !== OPEN) openUp(path, folder);
    const names = await readdir(path).catch(unlessGone);
    if (names === 'unknown' && isOfCode) return { bytes, files: Infinity };
    if (Array.isArray(names)) for (const name of names) waiting.push(join(path, name));
  }
  return { bytes, files };
}

/** The owner may look for names, and at what has them. */
const OPEN = 0o500;

/** Of a failed look: null when there is nothing any more, `unknown` when it is too deep, or closed. */
const unlessGone = (error: unknown): null | 'unknown' =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT' ? null : 'unknown';
