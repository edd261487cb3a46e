import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fileJournal } from '../../src/journal/file.ts';
import { readJournal } from '../../src/journal/read.ts';
import type { JournalLine, Toolbox, ToolOutcome } from '../../src/ports.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { instructive } from '../../src/tools/texts.ts';
import { createToolbox } from '../../src/tools/toolbox.ts';
import { verifyJournal } from '../../src/verify/index.ts';
import { play, replies, text } from '../support/world.ts';
import { runs, upTo } from './runs.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnstile-commands-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A shelf of numbered places: the tools put and look, the model knows what must be there. */
interface Shelf {
  readonly places: Map<number, string>;
}

interface Box {
  readonly toolbox: Toolbox;
  readonly seen: Map<number, string>;
}

const place = z.int().min(0).max(3);

function boxOf(): Box {
  const seen = new Map<number, string>();
  const toolbox = createToolbox({
    runId: 'test',
    workdir: folder,
    texts: instructive,
    rules: [{ tool: 'burn', verdict: 'deny' }],
    tools: [
      defineTool({
        name: 'put',
        description: 'Puts.',
        input: z.strictObject({ at: place, what: z.string() }),
        effects: 'some',
        run: ({ at, what }) => {
          seen.set(at, what);
          return 'ok';
        },
      }),
      defineTool({
        name: 'look',
        description: 'Looks.',
        input: z.strictObject({ at: place }),
        effects: 'none',
        run: ({ at }) => {
          const what = seen.get(at);
          if (what === undefined) throw new Error('nothing there');
          return `found ${what}`;
        },
      }),
      defineTool({
        name: 'burn',
        description: 'Burns.',
        input: z.strictObject({}),
        effects: 'some',
        run: () => {
          seen.clear();
          return 'ok';
        },
      }),
    ],
  });
  return { toolbox, seen };
}

type Command = fc.AsyncCommand<Shelf, Box>;

/** What the loop does with a call: it is judged, and it runs unless it must not. */
async function callTool(
  { toolbox }: Box,
  name: string,
  input: unknown,
  isAborted = false,
): Promise<ToolOutcome | 'refused'> {
  const { verdict } = toolbox.judge(name, input);
  if (verdict === 'deny' || verdict === 'invalid') return 'refused';
  const stop = new AbortController();
  if (isAborted) stop.abort();
  return toolbox.run({ id: 'toolu_1', name, input }, stop.signal);
}

const command = (name: string, run: (shelf: Shelf, box: Box) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

const commands = [
  fc.tuple(fc.nat(3), fc.constantFrom('a', 'b', 'c')).map(([at, what]) =>
    command(`put ${what} at ${at}`, async ({ places }, box) => {
      expect(await callTool(box, 'put', { at, what })).toEqual({ kind: 'succeeded', content: 'ok' });
      places.set(at, what);
    }),
  ),
  fc.nat(3).map((at) =>
    command(`look at ${at}`, async ({ places }, box) => {
      const what = places.get(at);
      const outcome = await callTool(box, 'look', { at });
      expect(outcome).toMatchObject(
        what === undefined ? { kind: 'failed' } : { kind: 'succeeded', content: `found ${what}` },
      );
    }),
  ),
  fc.oneof(fc.integer(), fc.string(), fc.constant(null)).map((at) =>
    command(`look at ${String(at)}, which may be no place`, async (_, box) => {
      const isPlace = typeof at === 'number' && at >= 0 && at <= 3;
      const outcome = await callTool(box, 'look', { at });
      expect(outcome === 'refused').toBe(!isPlace);
    }),
  ),
  fc.nat(3).map((at) =>
    command(`put at ${at}, stopped before it began`, async (_, box) => {
      expect(await callTool(box, 'put', { at, what: 'never' }, true)).toMatchObject({ kind: 'interrupted' });
    }),
  ),
  fc.constant(
    command('burn, which a rule denies', async (_, box) => {
      expect(await callTool(box, 'burn', {})).toBe('refused');
    }),
  ),
];

describe('a toolbox', () => {
  it(
    'does what it was told, whatever it was told before, and nothing that was refused',
    { timeout: 3_600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(commands, upTo(30)), async (list) => {
          const box = boxOf();
          const shelf: Shelf = { places: new Map() };
          await fc.asyncModelRun(() => ({ model: shelf, real: box }), list);
          expect(box.seen).toEqual(shelf.places);
        }),
        runs(100),
      );
    },
  );
});

interface Written {
  readonly lines: JournalLine[];
}

interface Disk {
  readonly path: string;
  readonly journal: Awaited<ReturnType<typeof fileJournal>>;
}

const recorded = (await play({ turns: [replies([text('Done.')])] })).lines;

const append = (words: string): fc.AsyncCommand<Written, Disk> => ({
  check: () => true,
  run: async ({ lines }, { journal }) => {
    const line = {
      type: 'user.interjected',
      at: recorded[0]?.at ?? '',
      text: words,
      promptCost: { next: { nanoUsd: 0, tokens: 2 }, summary: { nanoUsd: 0, tokens: 1 } },
    } as const;
    await journal.append(line);
    lines.push(line);
  },
  toString: () => `append ${JSON.stringify(words)}`,
});

const read: fc.AsyncCommand<Written, Disk> = {
  check: ({ lines }) => lines.length > 0,
  run: async ({ lines }, { path }) => {
    expect(await readJournal(path)).toEqual(lines);
  },
  toString: () => 'read',
};

/** What a process that dies while it writes leaves behind. */
const readTorn = (share: number): fc.AsyncCommand<Written, Disk> => ({
  check: ({ lines }) => lines.length > 1,
  run: async ({ lines }, { path }) => {
    const bytes = await readFile(path);
    const last = Buffer.byteLength(`${JSON.stringify(lines.at(-1))}\n`);
    // A line that lacks only its newline is whole.
    const cut = bytes.subarray(0, bytes.length - 2 - Math.floor(share * (last - 2)));
    const torn = `${path}.torn`;
    await rm(torn, { force: true });
    await writeFile(torn, cut);
    expect(await readJournal(torn)).toEqual(lines.slice(0, -1));
  },
  toString: () => `read what is left of the last line, cut at ${share}`,
});

describe('a journal file', () => {
  let count = 0;

  it(
    'reads as it was written, and without a last line that was torn anywhere',
    { timeout: 3_600_000 },
    async () => {
      const words = fc.oneof(
        fc.string(),
        fc.constantFrom('\n', '\u2028', '表', '"', '\\', 'x'.repeat(70_000)),
      );
      const any = fc.commands(
        [words.map(append), fc.constant(read), fc.double({ min: 0, max: 0.999, noNaN: true }).map(readTorn)],
        upTo(20),
      );
      await fc.assert(
        fc.asyncProperty(any, async (list) => {
          count += 1;
          const runFolder = join(folder, `${count}`);
          const path = join(runFolder, 'run.jsonl');
          const journal = await fileJournal(path);
          const lines: JournalLine[] = [];
          const [header] = recorded;
          if (header === undefined) throw new Error('A journal begins with its header.');
          await journal.append(header);
          lines.push(header);
          await fc.asyncModelRun(() => ({ model: { lines }, real: { path, journal } }), list);
          await journal.close();
          expect(verifyJournal(await readJournal(path)).filter(({ invariant }) => invariant === 0)).toEqual(
            [],
          );
          // Ten thousand of them would take minutes to remove in the end.
          await rm(runFolder, { recursive: true });
        }),
        runs(60),
      );
    },
  );
});
