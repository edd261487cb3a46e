import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fail } from '../../src/cli/fail.ts';
import { leaveErrorsToWriters, writeAll, type Io } from '../../src/cli/io.ts';
import { runProgram } from '../../src/cli/program.ts';
import { createReporter } from '../../src/cli/report.ts';
import { UserError } from '../../src/errors.ts';
import type { JournalLine, RunResult } from '../../src/ports.ts';
import { createRedactor } from '../../src/text/redact.ts';

const errorOf = (code: string): Error => Object.assign(new Error(`${code}: it cannot be`), { code });

interface Double {
  readonly stream: Writable;
  readonly texts: string[];
}

/** `failsAt`: which write fails, counted from 0. As with files, the stream goes on after it. */
function double(code?: string, failsAt: (write: number) => boolean = () => true): Double {
  const texts: string[] = [];
  let writes = 0;
  const stream = new Writable({
    autoDestroy: false,
    decodeStrings: false,
    write: (text: string, _, done) => {
      const isFailing = code !== undefined && failsAt(writes);
      writes += 1;
      if (isFailing) return done(errorOf(code));
      texts.push(text);
      return done();
    },
  });
  leaveErrorsToWriters(stream);
  return { stream, texts };
}

const ioWith = (stdout: Double, stderr = double()): Io => ({
  stdin: process.stdin,
  stdout: stdout.stream,
  stderr: stderr.stream,
  env: {},
});

const header = { type: 'run.started', runId: 'r' } as unknown as JournalLine;
const waiting: RunResult = { state: 'waiting', runId: 'r', callIds: [] };
const redact = createRedactor(['50000000']);

describe('a full disk', () => {
  it.each([['chart'], ['demo', 'list'], ['--help'], ['--version'], ['chart', '--help']])(
    'makes `turnstile %s %s` end with one line and exit 1',
    async (...args) => {
      const stderr = double();
      const io = ioWith(double('ENOSPC'), stderr);
      const given = args.filter((arg) => arg !== undefined);
      const code = await runProgram(given, io).catch((error: unknown) => fail(error, given, io));
      expect(code).toBe(1);
      expect(stderr.texts).toEqual(['turnstile: The output could not be written: ENOSPC: it cannot be\n']);
    },
  );

  it.each([
    { what: 'the first line', failsAt: (write: number) => write === 0 },
    { what: 'a line in the middle', failsAt: (write: number) => write === 1 },
    { what: 'the outcome', failsAt: (write: number) => write === 2 },
  ])('that takes $what of stream-json is no success', async ({ failsAt }) => {
    const reporter = createReporter('stream-json', ioWith(double('ENOSPC', failsAt)), redact);
    reporter.line(header);
    reporter.line(header);
    const ended = reporter.result(waiting, 8, { lines: [header], wasStreamed: false });
    await expect(ended).rejects.toThrow(/could not be written: ENOSPC/);
    await expect(ended).rejects.toBeInstanceOf(UserError);
  });

  it('for errors, too, takes nothing but the line', async () => {
    const io = ioWith(double('ENOSPC'), double('ENOSPC'));
    expect(await fail(new Error('x'), ['--output', 'json'], io)).toBe(1);
  });
});

it.each(['EPIPE', 'ERR_STREAM_DESTROYED'])('a reader that is gone (%s) is no failure', async (code) => {
  const { stream } = double(code);
  await writeAll(stream, 'a');
  stream.destroy(errorOf(code));
  await writeAll(stream, 'b');
});

describe('a secret in JSON', () => {
  it.each(['json', 'stream-json'] as const)('that is a number leaves %s whole', async (output) => {
    const stdout = double();
    const reporter = createReporter(output, ioWith(stdout), redact);
    reporter.line({
      ...header,
      limits: { budget: { nanoUsd: 50_000_000 } },
      task: 'a 50000000',
    } as JournalLine);
    await reporter.result(waiting, 8, { lines: [header], wasStreamed: false });
    const documents = stdout.texts.map((text) => JSON.parse(text) as unknown);
    expect(documents).toHaveLength(output === 'json' ? 1 : 2);
    if (output === 'stream-json') {
      expect(documents[0]).toMatchObject({
        limits: { budget: { nanoUsd: 50_000_000 } },
        task: 'a [redacted]',
      });
    }
  });
});
