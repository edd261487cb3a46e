/** Lines of one text that a pattern is in, as a search shows them. */
import { setImmediate } from 'node:timers/promises';
import { cutHead } from '../text/cut.ts';

export interface SearchText {
  readonly isIn: (line: string) => boolean;
  /** Lines to show before and behind each. */
  readonly context: number;
  /** The most lines that count as hits. */
  readonly maxHits: number;
  readonly signal: AbortSignal;
}

export interface Hits {
  /** As `12: text` for a line that matches, `11- text` around it, `--` where lines are left out. */
  readonly shown: readonly string[];
  readonly count: number;
  /** There are more hits than `maxHits`. */
  readonly isCut: boolean;
  /** Longer lines were only searched up to here. */
  readonly longLines: number;
}

/** Characters of a line that are searched. Matching costs time for each, and nothing else happens meanwhile. */
const MAX_SEARCHED = 10_000;

const MAX_SHOWN = 300;

/** How long others may wait. */
const TURN_MS = 20;

export async function search(text: string, options: SearchText): Promise<Hits> {
  const lines = linesOf(text);
  const hits: number[] = [];
  let longLines = 0;
  let turnAt = performance.now();
  for (const [index, line] of lines.entries()) {
    if (line.length > MAX_SEARCHED) longLines += 1;
    if (options.isIn(line.slice(0, MAX_SEARCHED))) hits.push(index);
    if (hits.length > options.maxHits) break;
    if (performance.now() - turnAt > TURN_MS) {
      await setImmediate();
      options.signal.throwIfAborted();
      turnAt = performance.now();
    }
  }
  const shownHits = hits.slice(0, options.maxHits);
  return {
    shown: show(lines, shownHits, options.context),
    count: shownHits.length,
    isCut: hits.length > options.maxHits,
    longLines,
  };
}

/** Without their ends; what follows the last line break is a line only if there is something. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function show(lines: readonly string[], hits: readonly number[], context: number): readonly string[] {
  const isHit = new Set(hits);
  const shown: string[] = [];
  let next = 0;
  for (const hit of hits) {
    const from = Math.max(next, hit - context);
    if (context > 0 && from > next && shown.length > 0) shown.push('--');
    const to = Math.min(lines.length - 1, hit + context);
    for (let index = from; index <= to; index += 1) {
      const line = lines[index] ?? '';
      const cut = cutHead(line, MAX_SHOWN);
      shown.push(`${index + 1}${isHit.has(index) ? ':' : '-'} ${cut === line ? line : `${cut}…`}`);
    }
    next = Math.max(next, to + 1);
  }
  return shown;
}
