/** Files that have no name any more, or never had one: no folder shows them, and they last while somebody has them open. */
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import type { ProcessRow } from './process-table.ts';

export interface NamelessBytes {
  /** Of `memfd_create`. */
  readonly memory: number;
  readonly disk: number;
}

/** What these processes hold in such files, each file counted once. */
export function namelessBytes(rows: readonly ProcessRow[]): NamelessBytes {
  const seen = new Set<string>();
  const total = { memory: 0, disk: 0 };
  for (const at of rows.flatMap(({ pid }) => descriptorsOf(pid))) {
    try {
      const { dev, ino, nlink, blocks } = statSync(at);
      const isKnown = seen.has(`${dev}:${ino}`);
      if (nlink > 0 || blocks === 0 || isKnown) continue;
      seen.add(`${dev}:${ino}`);
      total[readlinkSync(at).startsWith('/memfd:') ? 'memory' : 'disk'] += blocks * 512;
    } catch {
      // It was closed meanwhile.
    }
  }
  return total;
}

function descriptorsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`);
  } catch {
    return []; // It ended meanwhile, or there is no such list.
  }
}
