/** What becomes of a text, in lines. */
import { formatPatch, OMIT_HEADERS, structuredPatch, type StructuredPatch } from 'diff';
import { lineOfName } from './shown-name.ts';

export interface Change {
  /** From the root of the workspace. */
  readonly way: string;
  /** Null: there is no file yet. */
  readonly before: string | null;
  readonly after: string;
}

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

/** A unified diff. Its names are for people: the library would write what is not ASCII as octal bytes. */
export function diffOf(change: Change): string {
  const patch = patchOf(change);
  return `--- ${patch.oldFileName}\n+++ ${patch.newFileName}\n${formatPatch(patch, OMIT_HEADERS)}`;
}

export function lineCountsOf(change: Change): LineCounts {
  const lines = patchOf(change).hunks.flatMap((hunk) => hunk.lines);
  const countOf = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return { added: countOf('+'), removed: countOf('-') };
}

/** Finding the shortest way between texts that differ more takes too long, and nobody reads it. */
const MAX_EDITS = 4_000;
const TIMEOUT_MS = 500;

function patchOf({ way, before, after }: Change): StructuredPatch {
  const name = lineOfName(way);
  const from = before === null ? '/dev/null' : name;
  const limits = { context: 3, maxEditLength: MAX_EDITS, timeout: TIMEOUT_MS };
  const patch = structuredPatch(from, name, before ?? '', after, undefined, undefined, limits);
  return patch ?? wholePatch(from, name, before ?? '', after);
}

/** All of the one out, all of the other in. */
function wholePatch(
  oldFileName: string,
  newFileName: string,
  before: string,
  after: string,
): StructuredPatch {
  const removed = structuredPatch(oldFileName, newFileName, before, '').hunks;
  const added = structuredPatch(oldFileName, newFileName, '', after).hunks;
  return {
    oldFileName,
    newFileName,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [...removed, ...added],
  };
}
