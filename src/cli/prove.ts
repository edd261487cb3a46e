/** `turnstile prove`: walks the machine that is shipped, and plays its paths if asked to. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../clock.ts';
import { messageOf, UserError } from '../errors.ts';
import { makeFolder } from '../journal/make-folder.ts';
import { inputOf } from '../paths/configuration.ts';
import {
  buildKit,
  CARRIED,
  configurationTable,
  CONFIGURATIONS,
  coveringPaths,
  createStage,
  describePath,
  differencesOf,
  graphOf,
  playOrHang,
  prove,
  SMALL,
  summaryOf,
  type Stage,
  withTurns,
  witnessTable,
  type Proof,
} from '../paths/index.ts';
import { LEGEND, listOf, NOT_PROVEN } from '../paths/report.ts';
import { visibleLine } from '../text/visible.ts';
import { findPython } from '../sandbox/index.ts';
import { EXIT } from './exit-codes.ts';
import { jsonOf, writeAll, type Io } from './io.ts';
import { packageRoot } from './version.ts';

export interface ProveOptions {
  readonly maxTurns?: string;
  readonly play?: boolean;
  readonly json?: boolean;
  readonly export?: string;
}

/** @returns 0 when the contract holds within the bounds, 1 when it does not */
export async function runProve(options: ProveOptions, io: Io): Promise<number> {
  if (options.export !== undefined) return exportKit(checkedFolder(options.export, options), io);
  const configurations = [...CONFIGURATIONS, ...CARRIED].map((configuration) =>
    options.maxTurns === undefined ? configuration : withTurns(configuration, turnsOf(options.maxTurns)),
  );
  const begunAt = systemClock.now();
  const proof = prove(configurations);
  const faults = options.play ? await playAll(configurations, io) : [];
  const proven: Proven = { proof, faults, seconds: (systemClock.now() - begunAt) / 1_000, configurations };
  await writeAll(io.stdout, options.json ? jsonOf(documentOf(proven)) : textOf(proven, options));
  const { breaches, coverage } = proof;
  const isWhole = coverage.missedTransitions.length + coverage.missedAnswers.length === 0;
  return breaches.length + faults.length === 0 && isWhole ? EXIT.ok : EXIT.internal;
}

interface Proven {
  readonly proof: Proof;
  /** Paths that were played and went otherwise. */
  readonly faults: readonly string[];
  /** For all of it. */
  readonly seconds: number;
  readonly configurations: Configurations;
}

/** What was found says nothing without its bounds: they are in it. */
const documentOf = ({ proof, faults, seconds, configurations }: Proven) => ({
  ...proof,
  configurations: configurations.map((configuration, index) => ({
    ...configuration,
    input: inputOf(configuration),
    ...proof.configurations[index],
  })),
  witnesses: Object.fromEntries(
    Object.entries(proof.witnesses).map(([reason, path]) => [reason, describePath(path)]),
  ),
  faults,
  notProven: NOT_PROVEN,
  seconds,
});

function textOf(
  { proof, faults, seconds, configurations }: Proven,
  { maxTurns, play }: ProveOptions,
): string {
  const parts = [
    `${summaryOf(proof)}\nThis took ${seconds.toFixed(1)} seconds.`,
    'The bounds',
    ...(maxTurns === undefined ? [] : [turnsNote(maxTurns)]),
    configurationTable(configurations, proof.configurations, true),
    listOf(LEGEND),
    'The shortest way to each stop',
    witnessTable(proof),
    'What is not proven',
    listOf([...NOT_PROVEN, ...(play === true ? [] : [NOT_PLAYED])]),
    'docs/proof.md says how the graphs are kept small, and what the tests play beside that.',
    ...faults,
  ];
  return `${parts.join('\n\n')}\n`;
}

const turnsNote = (maxTurns: string): string =>
  `--max-turns ${maxTurns} holds where a run has several turns and begins with a task. Configurations of one turn, and those that go on (“resumed”, “carried”, “gone on”), keep their turns.`;

const NOT_PLAYED = 'That the real loop goes as the chart does: nothing was played. --play does it.';

/** Beyond four turns the graphs are too large to be walked whole. */
const MAX_TURNS = 4;

function turnsOf(text: string): number {
  const turns = Number(text);
  if (Number.isInteger(turns) && turns >= 2 && turns <= MAX_TURNS) return turns;
  throw new UserError(`--max-turns: ${text} is none of 2 to ${MAX_TURNS}. The graph grows with each turn.`);
}

type Configurations = Parameters<typeof prove>[0];

/** The kit is what it is: its bounds are fixed, and it is files. */
function checkedFolder(folder: string, { maxTurns, play, json }: ProveOptions): string {
  const others = [maxTurns !== undefined && '--max-turns', play && '--play', json && '--json'];
  const other = others.find((name) => typeof name === 'string');
  if (other === undefined) return folder;
  throw new UserError(
    `--export and ${other} do not go together: the paths that are written have bounds of their own.`,
  );
}

/** One file for each simple path to a stop at the smallest bounds. */
async function exportKit(folder: string, io: Io): Promise<number> {
  await makeFolder(folder).catch((error: unknown) => {
    throw new UserError(`--export ${folder}: ${messageOf(error)}. Name a folder that can be made.`, {
      cause: error,
    });
  });
  const stage = await openStage(io);
  let count = 0;
  try {
    for (const configuration of SMALL) {
      await writeAll(io.stderr, `playing ${configuration.name}\n`);
      for await (const path of buildKit(configuration, stage)) {
        await writeFile(join(folder, `${path.name}.json`), `${JSON.stringify(path, null, 2)}\n`);
        count += 1;
      }
    }
  } finally {
    await stage.close();
  }
  await writeAll(
    io.stderr,
    `${count} paths are in ${visibleLine(folder)}. docs/conformance.md describes them.\n`,
  );
  return EXIT.ok;
}

async function openStage({ env }: Io): Promise<Stage> {
  const python = findPython(env);
  if (python === null)
    throw new UserError('Paths are played with real scripts, and there is no python3 on the PATH.');
  const workspace = fileURLToPath(new URL('workspace', packageRoot()));
  return createStage({ workspace, python: python.path });
}

/** @returns the paths that went otherwise than the chart says */
async function playAll(configurations: Configurations, io: Io): Promise<readonly string[]> {
  const stage = await openStage(io);
  const faults: string[] = [];
  try {
    for (const configuration of configurations) {
      const paths = coveringPaths(graphOf(configuration));
      await writeAll(io.stderr, `playing ${configuration.name}: ${paths.length} paths\n`);
      for (const [index, path] of paths.entries()) {
        const played = await playOrHang(stage, path, configuration, index);
        const differences = played === null ? ['It hangs.'] : differencesOf(path, played);
        if (differences.length > 0) faults.push(`${describePath(path)}: ${differences.join(' ')}`);
      }
    }
  } finally {
    await stage.close();
  }
  return faults;
}
