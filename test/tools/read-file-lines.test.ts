import { appendFile, open, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFile } from '../../src/tools/read-file.ts';
import { contextIn, newFolder, read } from './box.ts';

describe('the lines that read_file gives', () => {
  const five = '1\n2\n3\n4\n5\n';

  it.each([
    { input: {}, content: five },
    { input: { from_line: 4 }, content: '4\n5\n' },
    { input: { from_line: 2, to_line: 3 }, content: '2\n3\n' },
    { input: { to_line: 1 }, content: '1\n' },
    { input: { from_line: 5, to_line: 99 }, content: '5\n' },
  ])('$input gives $content', async ({ input, content }) => {
    const work = await newFolder();
    await writeFile(join(work, 'f'), five);
    expect(await read(work, { path: 'f', ...input })).toEqual({ kind: 'succeeded', content });
  });

  it.each([
    { content: '', input: { from_line: 9 }, gives: /^\(the file is empty\)$/ },
    {
      content: 'one',
      input: { from_line: 2 },
      gives: /has 1 line; line 2 is past its end\. Ask for line 1\.$/,
    },
    { content: '\n', input: { from_line: 2 }, gives: /has 1 line;/ },
    { content: '\n\n', input: { from_line: 2 }, gives: /^\n$/ },
    { content: 'a\rb', input: {}, gives: /^a\rb$/ },
  ])('of $content at $input are $gives', async ({ content, input, gives }) => {
    const work = await newFolder();
    await writeFile(join(work, 'f'), content);
    expect((await read(work, { path: 'f', ...input })).content).toMatch(gives);
  });

  it.each([
    { input: { from_line: 6 }, says: /has 5 lines; line 6 is past its end/ },
    { input: { from_line: Number.MAX_SAFE_INTEGER }, says: /has 5 lines/ },
    { input: { from_line: 3, to_line: 2 }, says: /from_line 3 is behind to_line 2/ },
  ])('$input fails', async ({ input, says }) => {
    const work = await newFolder();
    await writeFile(join(work, 'f'), five);
    const outcome = await read(work, { path: 'f', ...input });
    expect(outcome.kind).toBe('failed');
    expect(outcome.content).toMatch(says);
  });

  it('of a large file come up to the cap, and it is said how to read on (A02)', async () => {
    const work = await newFolder();
    const file = await open(join(work, 'big'), 'w');
    const block = `${'x'.repeat(99)}\n`.repeat(10_000);
    for (let times = 0; times < 50; times += 1) await file.write(block);
    await file.close();
    const outcome = await read(work, { path: 'big' }, { maxBytes: 1_000 });
    expect(outcome.kind).toBe('succeeded');
    expect(outcome.content).toMatch(
      /\[lines 1 to 10 of a file of 50000000 bytes; read on with from_line 11\]$/,
    );
  });

  it('of a line that is too long are whole up to it, and then it comes by itself', async () => {
    const work = await newFolder();
    await writeFile(join(work, 'f'), `a\n${'x'.repeat(200)}\nb\n`);
    const options = { maxBytes: 100 };
    expect((await read(work, { path: 'f' }, options)).content).toMatch(
      /^a\n\n\[lines 1 to 1 of .*from_line 2\]$/,
    );
    expect((await read(work, { path: 'f', from_line: 2 }, options)).content).toMatch(
      /^x{100}\n\[line 2 is too long and was cut here/,
    );
    expect(await read(work, { path: 'f', from_line: 3 }, options)).toMatchObject({ content: 'b\n' });
  });

  it('that are longer than the cap are cut between characters, and that is said (A20)', async () => {
    const work = await newFolder();
    await writeFile(join(work, 'wide'), `${'🚀'.repeat(5_000)}\nend\n`);
    const outcome = await read(work, { path: 'wide' }, { maxBytes: 1_001 });
    expect(outcome.content.isWellFormed()).toBe(true);
    expect(outcome.content).toMatch(/^(🚀)+\n\[line 1 is too long and was cut here/u);
    expect(outcome.content.indexOf('\n')).toBe(250 * '🚀'.length);
    expect(await read(work, { path: 'wide', from_line: 2 }, { maxBytes: 1_001 })).toMatchObject({
      content: 'end\n',
    });
  });

  it('of a file of one endless line come at once: the rest is not read (A02)', async () => {
    const work = await newFolder();
    await writeFile(join(work, 'endless'), 'start');
    await truncate(join(work, 'endless'), 50 * 1024 ** 3);
    const { content } = await read(work, { path: 'endless' }, { maxBytes: 1_000 });
    expect(content).toMatch(/^start\0{995}\n\[line 1 is too long/);
  });

  it('behind a line of 50 MB come without that line being kept (A02)', async () => {
    const work = await newFolder();
    await writeFile(join(work, 'f'), '');
    await truncate(join(work, 'f'), 50_000_000);
    await appendFile(join(work, 'f'), '\nend');
    expect(await read(work, { path: 'f', from_line: 2 })).toEqual({ kind: 'succeeded', content: 'end' });
    expect(await read(work, { path: 'f', from_line: 3 })).toMatchObject({
      kind: 'failed',
      content: expect.stringMatching(/has 2 lines; line 3 is past/),
    });
  });

  it('are looked for only until the run is stopped', async () => {
    const work = await newFolder();
    await writeFile(join(work, 'endless'), '');
    await truncate(join(work, 'endless'), 50 * 1024 ** 3);
    const stop = new AbortController();
    const context = contextIn(work, { signal: stop.signal });
    const ended = readFile().run({ path: 'endless', from_line: 2 }, context);
    stop.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
  });

  it('read on by the hint, piece by piece, are the whole file', async () => {
    const work = await newFolder();
    const line = fc
      .string({ unit: 'binary', maxLength: 20 })
      .map((text) => text.replaceAll(/[\n\uFEFF]/g, ''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 40 }),
        // No line is longer: 20 characters of 4 bytes, and a line break.
        fc.integer({ min: 81, max: 400 }),
        async (lines, maxBytes) => {
          const text = lines.join('\n');
          fc.pre(text !== '');
          await writeFile(join(work, 'f'), text);
          let whole = '';
          let from = 1;
          for (let piece = 0; piece < 100; piece += 1) {
            const { content } = await read(work, { path: 'f', from_line: from }, { maxBytes });
            const hint = /\n\[lines \d+ to \d+ of a file of \d+ bytes; read on with from_line (\d+)\]$/.exec(
              content,
            );
            whole += hint === null ? content : content.slice(0, hint.index);
            if (hint === null) break;
            from = Number(hint[1]);
          }
          expect(whole).toBe(text);
        },
      ),
      { numRuns: 60 },
    );
  });
});
