/** The processes of this machine at one moment, as Linux lists them. Elsewhere there is no list. */
import { readFileSync, readdirSync } from 'node:fs';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly threads: number;
  /** Memory that it has in RAM. */
  readonly residentBytes: number;
}

const PAGE_BYTES = 4_096;

/** Those that run; of a dead one that nobody has asked for there is none. */
export function processTable(): readonly ProcessRow[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? rowOf(name) : []));
}

function rowOf(pid: string): readonly ProcessRow[] {
  try {
    // "pid (name) state parent group …": the name may hold anything, parentheses too.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return [];
    const numberAt = (index: number): number => Number(fields[index]);
    return [
      {
        pid: Number(pid),
        parent: numberAt(1),
        group: numberAt(2),
        threads: numberAt(17),
        residentBytes: numberAt(21) * PAGE_BYTES,
      },
    ];
  } catch {
    return []; // It ended meanwhile.
  }
}

/**
 * Memory of these processes together, what several of them share counted once. Where the kernel does not tell, it is counted
 * for each.
 */
export const memoryOf = (rows: readonly ProcessRow[]): number =>
  rows.reduce((total, row) => total + shareOf(row), 0);

function shareOf({ pid, residentBytes }: ProcessRow): number {
  try {
    const [, kilobytes] =
      /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? [];
    return kilobytes === undefined ? residentBytes : Number(kilobytes) * 1_024;
  } catch {
    return residentBytes; // Another user's, or it ended meanwhile.
  }
}

/** All that a process has started, and what those have, without itself. */
export function descendantsOf(root: number, table: readonly ProcessRow[]): readonly ProcessRow[] {
  const found: ProcessRow[] = [];
  let parents = new Set([root]);
  while (parents.size > 0) {
    const above = parents;
    const children = table.filter(({ parent }) => above.has(parent));
    found.push(...children);
    parents = new Set(children.map(({ pid }) => pid));
  }
  return found;
}
