/** Paths, cut off after each of their facts, as a dying process leaves them, and gone on with by another one. */
import type { LoopOutput } from '../../machines/index.ts';
import { parseJournal } from '../../src/journal/read.ts';
import type { Configuration } from '../../src/paths/configuration.ts';
import { CONFIGURATIONS, SMALL } from '../../src/paths/configurations.ts';
import { describePath } from '../../src/paths/describe.ts';
import { graphOf, type Graph } from '../../src/paths/graph.ts';
import { completed, edgePaths, simplePaths, type Path } from '../../src/paths/walk.ts';
import type { JournalLine } from '../../src/ports.ts';
import { verifyJournal } from '../../src/verify/index.ts';
import { PathWorld } from './path-world.ts';

export interface SweepTally {
  /** Prefixes that another process went on from. */
  crashes: number;
  /** Last lines that were written in part, or whole without their newline. */
  tears: number;
  /** Runs that came to the stop of the uninterrupted path. */
  same: number;
  /** Runs that may come to another one, see `mayDiffer`. */
  other: number;
}

export const newTally = (): SweepTally => ({ crashes: 0, tears: 0, same: 0, other: 0 });

/**
 * @param cuts numbers of facts after which the process dies
 * @returns what went wrong, a text for each
 */
export async function sweep(
  { path, cuts }: CutPath,
  configuration: Configuration,
  tally: SweepTally,
): Promise<readonly string[]> {
  const whole = new PathWorld(path, configuration);
  await whole.run();
  const lines = [...whole.lines];
  const expected = path.at(-1)?.snapshot.output?.reason;
  const faults: string[] = [];
  for (const facts of cuts) {
    const kept = facts + 1;
    const prefix = lines.slice(0, kept);
    const world = new PathWorld(path, configuration);
    const say = (what: string): void => {
      faults.push(`${describePath(path)}\n  after ${facts} facts: ${what}`);
    };
    try {
      await world.resume(prefix);
    } catch (error) {
      say(`It threw: ${String(error)}`);
      continue;
    }
    for (const problem of problemsOf(prefix, world)) say(problem);
    const reason = reasonOf(world.lines);
    if (reason === expected) tally.same += 1;
    else if (mayDiffer(configuration, reason, expected, path[facts - 1])) tally.other += 1;
    else say(`It stopped with ${String(reason)}, not with ${String(expected)}.`);
    tally.crashes += 1;
    tally.tears += tearsOf(prefix, lines[kept], say);
  }
  return faults;
}

const isModelFact = ({ type }: JournalLine): boolean => type.startsWith('model.');
const isBilled = (line: JournalLine): boolean =>
  isModelFact(line) && 'billing' in line && (line.billing === 'reported' || line.billing === 'partial');

function problemsOf(
  prefix: readonly JournalLine[],
  { lines, effects, billed }: PathWorld,
): readonly string[] {
  const started = prefix.flatMap((line) => (line.type === 'tool.started' ? [line.callId] : []));
  const twice = [...effects].filter(([id, times]) => times > 1 || started.includes(id));
  const before = prefix.filter(isBilled).length;
  const after = lines.filter(isBilled).length;
  return [
    ...verifyJournal(lines).map(({ line, message }) => `Line ${line}: ${message}`),
    ...twice.map(([id]) => `The call ${id} had its effect twice.`),
    ...(after === before + billed ? [] : [`${before} + ${billed} responses were billed, ${after} recorded.`]),
  ];
}

function reasonOf(lines: readonly JournalLine[]): LoopOutput['reason'] | undefined {
  const last = lines.at(-1);
  return last?.type === 'run.ended' && last.result.state === 'stopped' ? last.result.reason : undefined;
}

/**
 * What a lost request may have cost counts; so does a call whose end nobody saw. Words that had to wait for the request
 * after the lost one are in the one that is asked instead.
 */
const mayDiffer = (
  { budget = null }: Configuration,
  reason: string | undefined,
  expected: string | undefined,
  last: Path[number] | undefined,
): boolean =>
  (budget !== null && reason === 'budget') ||
  reason === 'stuck' ||
  expected === 'stuck' ||
  last?.snapshot.context.hasUnread === true;

/** Ways to tear a line. */
export const TEARS = 5;

/** @returns how many ways there are to tear the line that was being written */
function tearsOf(
  prefix: readonly JournalLine[],
  next: JournalLine | undefined,
  say: (what: string) => void,
): number {
  const before = prefix.map((line) => `${JSON.stringify(line)}\n`).join('');
  const line = JSON.stringify(next);
  const tears = [
    ['nothing', '', 0],
    ['its first byte', line.slice(0, 1), 0],
    ['half of it', line.slice(0, line.length / 2), 0],
    ['all but its last byte', line.slice(0, -1), 0],
    ['all but its newline', line, 1],
  ] as const;
  for (const [what, torn, more] of tears) {
    const read = parseJournal(Buffer.from(before + torn), 'a journal');
    if (read.lines.length !== prefix.length + more)
      say(`With ${what} of the next line, ${read.lines.length} were read.`);
  }
  return tears.length;
}

interface CutPath {
  readonly path: Path;
  readonly cuts: readonly number[];
}

/**
 * Rows of a table of tests: the paths of tiers 2 and 3, and each of their prefixes once.
 * @param isWhole each prefix of each path, also where another path began in the same way
 */
export const sweepRows = (isWhole: boolean) =>
  [
    ...rowsOf('tier 2', CONFIGURATIONS, edgePaths, isWhole),
    ...rowsOf('tier 3', SMALL, simplePaths, isWhole),
  ].filter(({ crashes }) => crashes > 0);

const rowsOf = (
  tier: string,
  configurations: readonly Configuration[],
  pathsOf: (graph: Graph) => Iterable<Path>,
  isWhole: boolean,
) =>
  configurations.map((configuration) => {
    const graph = graphOf(configuration);
    const seen = new Set<string>();
    const paths = [...pathsOf(graph)]
      .map((path) => cutPath(completed(graph, path), isWhole ? new Set() : seen))
      .filter(({ cuts }) => cuts.length > 0);
    const crashes = paths.reduce((sum, { cuts }) => sum + cuts.length, 0);
    return { configuration, name: `${tier}, ${configuration.name}`, paths, crashes, count: paths.length };
  });

/** Behind the last fact the run has stopped: there is nothing to go on with. */
function cutPath(path: Path, seen: Set<string>): CutPath {
  let prefix = '';
  const cuts: number[] = [];
  for (const [facts, { event }] of path.entries()) {
    if (!seen.has(prefix)) cuts.push(facts);
    seen.add(prefix);
    prefix += `${JSON.stringify(event)}\n`;
  }
  return { path, cuts };
}
