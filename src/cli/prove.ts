/** `turnstile prove`: walks the machine that is shipped, and plays its paths if asked to. */
import { fileURLToPath } from 'node:url';
import { UserError } from '../errors.ts';
import {
  CARRIED,
  completed,
  configurationTable,
  CONFIGURATIONS,
  createStage,
  describePath,
  differencesOf,
  edgePaths,
  graphOf,
  prove,
  summaryOf,
  withTurns,
  witnessTable,
} from '../paths/index.ts';
import { findPython } from '../tools/run-python.ts';
import { EXIT } from './exit-codes.ts';
import { writeAll, type Io } from './io.ts';
import { packageRoot } from './version.ts';

export interface ProveOptions {
  readonly maxTurns?: string;
  readonly play?: boolean;
  readonly json?: boolean;
}

/** @returns 0 when the contract holds within the bounds, 1 when it does not */
export async function runProve(options: ProveOptions, io: Io): Promise<number> {
  const configurations = [...CONFIGURATIONS, ...CARRIED].map((configuration) =>
    options.maxTurns === undefined ? configuration : withTurns(configuration, turnsOf(options.maxTurns)),
  );
  const proof = prove(configurations);
  const faults = options.play ? await playAll(configurations, io) : [];
  const { breaches, coverage } = proof;
  const witnesses = Object.fromEntries(
    Object.entries(proof.witnesses).map(([reason, path]) => [reason, describePath(path)]),
  );
  if (options.json) await writeAll(io.stdout, `${JSON.stringify({ ...proof, witnesses, faults })}\n`);
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

/** @returns the paths that went otherwise than the chart says */
async function playAll(configurations: Configurations, { env, stderr }: Io): Promise<readonly string[]> {
  const python = await findPython(env);
  if (python === null) throw new UserError('--play runs real scripts, and there is no python3 on the PATH.');
  const workspace = fileURLToPath(new URL('workspace', packageRoot()));
  const stage = await createStage({ workspace, python: python.path });
  const faults: string[] = [];
  try {
    for (const configuration of configurations.filter(({ carried }) => carried === undefined)) {
      const graph = graphOf(configuration);
      const paths = edgePaths(graph).map((path) => completed(graph, path));
      await writeAll(stderr, `playing ${configuration.name}: ${paths.length} paths\n`);
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
