import { readFileSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/text/redact.ts';
import { PythonOutput } from '../../src/tools/python-output.ts';
import { readFile } from '../../src/tools/read-file.ts';
import { boxWith, contextIn, never, newFolder } from './box.ts';

const PIECE = 8;

/** No text holds these characters: whatever shows them shows a part of a secret. */
const secret = fc.string({ unit: fc.constantFrom('K', 'Q', '7', 'ß', '😀'), minLength: 12, maxLength: 40 });
const filler = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '€', '🚀'), maxLength: 60 });

const leaking = fc
  .array(secret, { minLength: 1, maxLength: 3 })
  .chain((secrets) =>
    fc.record({
      secrets: fc.constant(secrets),
      text: fc.array(fc.oneof(filler, fc.constantFrom(...secrets)), { minLength: 1, maxLength: 12 }),
    }),
  )
  .map(({ secrets, text }) => ({ secrets, text: text.join('') }));

const piecesOf = (secrets: readonly string[]): readonly string[] =>
  secrets.flatMap((text) =>
    Array.from({ length: text.length - PIECE + 1 }, (_, start) => text.slice(start, start + PIECE)),
  );

function expectNothingOf(secrets: readonly string[], shown: string): void {
  for (const piece of piecesOf(secrets)) expect(shown).not.toContain(piece);
}

function chunksOf(bytes: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });
const limit = fc.integer({ min: 1, max: 120 });

describe('of a secret, no 8 characters', () => {
  it('are in what run_python returns or keeps, wherever it is cut, and however the output came', async () => {
    const outputDir = await newFolder();
    let call = 0;
    fc.assert(
      fc.property(
        leaking,
        sizes,
        limit,
        fc.boolean(),
        ({ secrets, text }, lengths, maxOutputBytes, isKilled) => {
          const callId = String((call += 1));
          const redact = createRedactor(secrets);
          const output = new PythonOutput({ maxOutputBytes, outputDir }, contextIn('/', { callId, redact }));
          const bytes = Buffer.from(text);
          const printed = isKilled ? bytes.subarray(0, bytes.length - 3) : bytes;
          for (const chunk of chunksOf(printed, lengths)) {
            output.append('stdout', chunk);
            expectNothingOf(secrets, output.text());
          }
          output.end();
          const path = output.close();
          expectNothingOf(secrets, output.text());
          if (path !== null) expectNothingOf(secrets, readFileSync(path, 'utf8'));
        },
      ),
      { numRuns: 400 },
    );
    expect(readdirSync(outputDir).length).toBeGreaterThan(50);
  });

  it('are in what read_file returns, wherever a line or a file is cut', async () => {
    const workdir = await newFolder();
    await fc.assert(
      fc.asyncProperty(leaking, limit, async ({ secrets, text }, maxBytes) => {
        await writeFile(join(workdir, 'f'), text);
        const box = boxWith({ tools: [readFile({ maxBytes })], workdir, redact: createRedactor(secrets) });
        const call = { id: 'a', name: 'read_file', input: { path: 'f' } };
        expectNothingOf(secrets, (await box.run(call, never)).content);
      }),
      { numRuns: 200 },
    );
  });
});

it('output is the same with and without secrets that do not occur', () => {
  const sample = Buffer.from('a €uro, in 🚀 pieces\n'.repeat(20));
  const shown = [[], ['does-not-occur', 'a €uro, in 🚀 piecemeal']].map((secrets) => {
    const context = contextIn('/', { redact: createRedactor(secrets) });
    const output = new PythonOutput({ maxOutputBytes: 1_000 }, context);
    for (const chunk of chunksOf(sample, [7, 2, 31])) output.append('stderr', chunk);
    output.end();
    return output.text();
  });
  expect(shown).toEqual([String(sample), String(sample)]);
});
