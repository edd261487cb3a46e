import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { CARRIED } from '../../src/paths/carried.ts';
import { CONFIGURATIONS, SMALL } from '../../src/paths/configurations.ts';
import { OTHERS, proofDocument } from '../../src/paths/document.ts';
import { graphOf } from '../../src/paths/graph.ts';
import { prove } from '../../src/paths/prove.ts';
import { simplePaths } from '../../src/paths/walk.ts';
import { mutants } from './chart-mutants.ts';
import { EQUIVALENT } from './equivalent-mutants.ts';
import { edgeRows, totalOf } from './play.ts';
import { sweepRows, TEARS } from '../resume/sweep.ts';

/** The first table of docs/mutation.md. */
async function lastFigures(): Promise<string> {
  const page = await readFile(new URL('../../docs/mutation.md', import.meta.url), 'utf8');
  return /\| part [^]*?(?=\n\n)/.exec(page)?.[0] ?? '';
}

const proof = prove([...CONFIGURATIONS, ...CARRIED]);
const others = prove(OTHERS);

it('the contract holds at every step of every edge', () => {
  expect([...proof.breaches, ...others.breaches]).toEqual([]);
});

it('docs/proof.md is current', async () => {
  const swept = sweepRows(false);
  const document = proofDocument({
    proof,
    others,
    tier2: totalOf(edgeRows([...CONFIGURATIONS, ...CARRIED])),
    tier3: SMALL.reduce((sum, one) => sum + [...simplePaths(graphOf(one))].length, 0),
    mutants: [...mutants()].length,
    sweep: {
      crashes: swept.reduce((sum, { crashes }) => sum + crashes, 0),
      paths: swept.reduce((sum, { count }) => sum + count, 0),
      tears: TEARS,
      whole: sweepRows(true).reduce((sum, { crashes }) => sum + crashes, 0),
    },
    equivalent: EQUIVALENT,
    codeMutants: await lastFigures(),
  });
  await expect(document).toMatchFileSnapshot('../../docs/proof.md');
});
