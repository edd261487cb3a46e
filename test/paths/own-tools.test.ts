import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/index.ts';
import { findPython } from '../../src/sandbox/index.ts';
import {
  breachesOn,
  coveringPaths,
  createStage,
  differencesOf,
  graphOf,
  type Configuration,
  type ScriptedTools,
  type Stage,
} from '../../src/testing/index.ts';

/** Every call of the tools, by the real functions behind them. */
const ran: string[] = [];

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks a customer up.',
  input: z.strictObject({ customer: z.string() }),
  effects: 'none',
  run: async ({ customer }, { workdir }) => {
    ran.push(`look_up ${customer}`);
    return readFile(join(workdir, `${customer}.json`), 'utf8');
  },
});

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail.',
  input: z.strictObject({ to: z.string() }),
  effects: 'some',
  run: async ({ to }, { workdir }) => {
    ran.push(`send_mail ${to}`);
    if ((await readFile(join(workdir, 'server'), 'utf8')) === 'down') throw new Error('connection refused');
    return `Sent to ${to}.`;
  },
});

const dropTable = defineTool({
  name: 'drop_table',
  description: 'Drops a table.',
  input: z.strictObject({ table: z.string() }),
  effects: 'some',
  run: async ({ table }) => {
    ran.push(`drop_table ${table}`);
    return 'Gone.';
  },
});

const tools: ScriptedTools = {
  read: {
    tool: lookUp,
    inputs: { a: { customer: 'ada' }, b: { customer: 'bob' } },
    prepare: async ({ ending, input, workdir, bytes }) => {
      const file = join(workdir, `${(input as { readonly customer: string }).customer}.json`);
      await rm(file, { force: true });
      if (ending === 'succeeded') await writeFile(file, JSON.stringify({ notes: '-'.repeat(bytes) }));
    },
  },
  ask: {
    tool: sendMail,
    inputs: { a: { to: 'ada' }, b: { to: 'bob' } },
    prepare: ({ ending, workdir }) =>
      writeFile(join(workdir, 'server'), ending === 'succeeded' ? 'up' : 'down'),
  },
  deny: {
    tool: dropTable,
    inputs: { a: { table: 'scores' }, b: { table: 'users' } },
    prepare: () => undefined,
  },
};

const rows: readonly Configuration[] = [
  {
    name: 'own tools',
    maxTurns: 2,
    maxRetries: 0,
    batches: [['read a', 'read b'], ['ask a'], ['deny a', 'invalid b'], ['invalid a']],
    aborts: ['user'],
  },
  {
    name: 'own tools, with a budget',
    maxTurns: 2,
    maxRetries: 0,
    batches: [['read a', 'ask a']],
    budget: 'plenty',
    hasInterjections: true,
  },
  { name: 'own tools, resumed', maxTurns: 1, maxRetries: 0, batches: [['ask a']], hasResumptions: true },
];

describe('paths are played with tools and rules of a host', () => {
  let stage: Stage;
  const options = {
    workspace: fileURLToPath(new URL('../../workspace', import.meta.url)),
    python: findPython(process.env)?.path ?? '',
  };

  beforeAll(async () => {
    stage = await createStage({
      ...options,
      tools,
      rules: [{ tool: 'drop_table', verdict: 'deny' }],
    });
  });

  afterAll(async () => {
    await stage.close();
  });

  it.each(rows)('$name: all go as the chart says', async (configuration) => {
    ran.length = 0;
    const faults: string[] = [];
    for (const [index, path] of coveringPaths(graphOf(configuration)).entries()) {
      const played = await stage.play(path, configuration, index);
      faults.push(...breachesOn(path, configuration), ...differencesOf(path, played));
    }
    expect(faults).toEqual([]);
    expect(ran.filter((call) => call.startsWith('send_mail')).length).toBeGreaterThan(5);
    expect(ran.filter((call) => call.startsWith('drop_table'))).toEqual([]);
  });

  it('a tool with effects cannot stand for one that only reads', async () => {
    const read = { tool: sendMail, inputs: { a: {}, b: {} }, prepare: () => undefined };
    await expect(createStage({ ...options, tools: { read } })).rejects.toThrow(
      new RangeError(
        'The tool send_mail stands for calls of the kind read, so its effects have to be none; they are some.',
      ),
    );
  });

  it('a rule that is missing is noticed', async () => {
    const lax = await createStage({ ...options, tools });
    try {
      const configuration: Configuration = { name: 'lax', maxTurns: 1, batches: [['deny a']] };
      const [path] = coveringPaths(graphOf(configuration)).filter((one) =>
        one.some(({ event }) => event.type === 'model.called_tools'),
      );
      if (path === undefined) throw new Error('Some path has a call.');
      expect(differencesOf(path, await lax.play(path, configuration, 0)).join(' ')).toContain(
        '"verdict":"ask"',
      );
    } finally {
      await lax.close();
    }
  });
});
