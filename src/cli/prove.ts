/** `turnstile prove`: walks the machine that is shipped, and plays its paths if asked to. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, UserError } from '../errors.ts';
import { makeFolder } from '../journal/make-folder.ts';
import {
  buildKit,
  canBegin,
  CARRIED,
  configurationTable,
  CONFIGURATIONS,
  coveringPaths,
  createStage,
  describePath,
  differencesOf,
  graphOf,
  prove,
  SMALL,
  summaryOf,
  type Stage,
  withTurns,
  witnessTable,
} from '../paths/index.ts';
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
  const proof = prove(configurations);
  const faults = options.play ? await playAll(configurations, io) : [];
  const { breaches, coverage } = proof;
  const witnesses = Object.fromEntries(
    Object.entries(proof.witnesses).map(([reason, path]) => [reason, describePath(path)]),
  );
  if (options.json) await writeAll(io.stdout, jsonOf({ ...proof, witnesses, faults }));
  else {
    const parts = [summaryOf(proof), configurationTable(proof), witnessTable(proof), ...faults];
    await writeAll(io.stdout, `${parts.join('\n\n')}\n`);
  }
  const isWhole = coverage.missedTransitions.length + coverage.missedAnswers.length === 0;
  return breaches.length + faults.length === 0 && isWhole ? EXIT.ok : EXIT.internal;
}

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
    for (const configuration of configurations.filter(canBegin)) {
      const paths = coveringPaths(graphOf(configuration));
      await writeAll(io.stderr, `playing ${configuration.name}: ${paths.length} paths\n`);
      for (const [index, path] of paths.entries()) {
        const differences = differencesOf(path, await stage.play(path, configuration, index));
        if (differences.length > 0) faults.push(`${describePath(path)}: ${differences.join(' ')}`);
      }
    }
  } finally {
    await stage.close();
  }
  return faults;
}
