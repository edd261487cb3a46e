/** The command, killed for real: at any instant, and gone on with until it is done. */
import { KILLS as USUAL_KILLS } from '../../src/paths/figures.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { says, startStrictServer, toolUse, type StrictServer } from '../../src/testing/index.ts';
import { verifyJournal } from '../../src/verify/index.ts';
import { BARE, BIN, cleanUps, folderWith, keyed, turnstile } from '../e2e/command.ts';

/** The scripts write outside. */
const OPEN = ['--sandbox', 'none'];
/** In all, over several lanes: KILLS=1000 for more. */
const KILLS = Number(process.env['KILLS'] ?? USUAL_KILLS);
const LANES = 4;
const TURNS = 4;
/** A run lasts about this long where nobody kills it. */
const RUN_MS = 1_600;

/** A model that takes its time, and asks for one script after the other. */
async function slowModel(effects: string): Promise<StrictServer> {
  const server = await startStrictServer({
    respond: async ({ body }) => {
      await sleep(30);
      const turn = JSON.stringify(body).split('"role":"assistant"').length - 1;
      if (turn >= TURNS) return says('Done.');
      const code = `import time\nwith open(${JSON.stringify(effects)}, "a") as f: f.write("${turn}\\n")\ntime.sleep(0.05)`;
      return says(`Step ${turn}.`, toolUse('run_python', { code }));
    },
  });
  cleanUps.push(() => server.close());
  return server;
}

/** The journals that hold a header. Who is killed before it has sent nothing, and is begun again. */
async function begunIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.filter((text) => text.includes('\n'));
}

/** Kills runs of its own until it has killed so often. @returns how many runs it took */
async function lane(kills: number, random: () => number): Promise<number> {
  let left = kills;
  let runs = 0;
  while (left > 0) {
    const cwd = await folderWith();
    const effects = join(cwd, 'effects.txt');
    const env = keyed(await slowModel(effects));
    const journals = () => begunIn(join(cwd, '.turnstile', 'runs'));
    const args = async () =>
      (await journals()).length === 0 ? ['do it', '--yes', ...OPEN] : ['resume', 'last', '--yes', ...OPEN];
    let isKilled = true;
    while (left > 0 && isKilled) {
      const child = spawn(process.execPath, ['--', BIN, ...(await args())], {
        cwd,
        env: { ...BARE, ...env },
        stdio: 'ignore',
      });
      const ended = once(child, 'close');
      await Promise.race([ended, sleep(random() * RUN_MS)]);
      isKilled = child.exitCode === null && child.kill('SIGKILL');
      await ended;
      if (isKilled) left -= 1;
    }
    const last = isKilled ? await turnstile(await args(), { cwd, env }) : null;
    if (last !== null) expect(last).toMatchObject({ code: 0, stdout: 'Done.\n' });
    const written = (await readFile(effects, 'utf8').catch(() => '')).split('\n').filter(Boolean);
    expect(new Set(written).size, `effects: ${written.join()}`).toBe(written.length);
    const [text = ''] = await journals();
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(verifyJournal(lines)).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ result: { reason: 'end_turn', answer: 'Done.', turns: TURNS + 1 } });
    runs += 1;
  }
  return runs;
}

/** Small, and the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe(`the command, killed ${KILLS} times by SIGKILL and resumed until it is done`, () => {
  it(
    'has every effect at most once, comes to its answer, and leaves a journal that holds',
    { timeout: 600_000 },
    async () => {
      const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 2 ** 31);
      const runs = await Promise.all(
        Array.from({ length: LANES }, (_, index) =>
          lane(Math.ceil(KILLS / LANES), randomFrom(seed + index)).catch((error: unknown) => {
            throw new Error(`With KILL_SEED=${seed}:`, { cause: error });
          }),
        ),
      );
      expect(runs.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    },
  );
});
