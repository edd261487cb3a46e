import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { anthropic, createAgent, defineTool } from '../../src/index.ts';
import { buildKit } from '../../src/paths/build-kit.ts';
import { CARRIED } from '../../src/paths/carried.ts';
import type { KitPath } from '../../src/paths/kit.ts';
import { tryLoop, type KitWorld } from '../../src/paths/try-loop.ts';
import type { Stage } from '../../src/paths/stage.ts';
import { openStage } from './play.ts';

let stage: Stage;
const paths: KitPath[] = [];

beforeAll(async () => {
  stage = await openStage();
  const batches = [['read a'], ['read a', 'read b']] as const;
  for await (const path of buildKit({ name: 'kit', maxTurns: 2, maxRetries: 0, batches }, stage)) {
    paths.push(JSON.parse(JSON.stringify(path)) as KitPath);
  }
});

afterAll(async () => {
  await stage.close();
});

it.each(CARRIED)('is not made of runs that go on: $name', async (configuration) => {
  await expect(buildKit(configuration, stage).next()).rejects.toThrow(
    new RangeError(`The runs of ${configuration.name} go on from an earlier one, which the kit cannot say.`),
  );
});

/** Our own loop, as a stranger. */
async function ours({ baseURL, task, maxTurns, runTool }: KitWorld): Promise<string> {
  let started = '';
  const agent = createAgent({
    model: anthropic('claude-haiku-5-5', { baseURL, apiKey: 'none' }),
    tools: [
      defineTool({
        name: 'read_file',
        description: 'Reads.',
        input: z.strictObject({ path: z.string() }),
        effects: 'some',
        run: (input) => runTool({ id: started, name: 'read_file', input }),
      }),
    ],
    limits: { maxTurns, maxRetries: 0 },
    approveAll: true,
    journal: {
      append: async (line) => {
        if (line.type === 'tool.started') started = line.callId;
      },
    },
  });
  const result = await agent.start(task).result;
  return result.state === 'stopped' ? result.answer : '';
}

it('our own loop has no hole', async () => {
  expect(paths.length).toBeGreaterThan(30);
  expect(await tryLoop(paths, ours, ['retry'])).toEqual([]);
});

it.each([
  ['that never calls', async () => 'Done.', /There were 0 requests/],
  ['that throws', async () => Promise.reject(new Error('broken')), /There were 0 requests/],
  [
    'that runs what nobody has asked for',
    async ({ runTool, ...world }: KitWorld) => {
      await runTool({ id: 'toolu_x', name: 'read_file', input: {} });
      return ours({ runTool, ...world });
    },
    /The call toolu_x ran/,
  ],
])('a loop %s has one', async (_, loop, fault) => {
  const holes = await tryLoop(paths.slice(0, 20), loop, ['retry']);
  expect(holes.length).toBeGreaterThan(0);
  expect(holes[0]?.faults.join('\n')).toMatch(fault);
});

it('paths that need more than the loop can are left out', async () => {
  const needing = paths.map((path): KitPath => ({ ...path, needs: ['approval'] }));
  expect(await tryLoop(needing, async () => 'Done.')).toEqual([]);
});
