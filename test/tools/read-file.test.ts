import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reasonOf } from '../../src/tools/workspace-path.ts';
import { newFolder, read } from './box.ts';

/** D16: the workspace is a link itself, and holds links of all kinds. */
async function workspace(): Promise<string> {
  const folder = await newFolder();
  const real = join(folder, 'real');
  await mkdir(join(real, 'sub/deep'), { recursive: true });
  await mkdir(join(real, '.turnstile/runs'), { recursive: true });
  await mkdir(join(folder, 'outside'));
  await writeFile(join(folder, 'outside/secret.txt'), 'secret');
  await writeFile(join(real, 'in.txt'), 'inside');
  await writeFile(join(real, 'sub/b.txt'), 'b');
  await writeFile(join(real, '.turnstile/runs/a.jsonl'), '{}');
  await writeFile(join(real, 'empty.txt'), '');
  await writeFile(join(real, 'bom.txt'), '\uFEFFwith bom');
  await writeFile(join(real, 'crlf.txt'), 'a\r\nb\r\n');
  await writeFile(join(real, 'esc.txt'), 'a\u001b[31mb\u0085');
  await writeFile(join(real, 'bad.bin'), Buffer.from([0x61, 0x62, 0x80]));
  await writeFile(join(real, 'lone.bin'), Buffer.from([0x80]));
  await writeFile(join(real, 'half.bin'), Buffer.from([0x61, 0xe2, 0x82]));
  await writeFile(join(real, 'Abscha\u0308tzung.txt'), 'decomposed');
  for (const [name, target] of Object.entries({
    'link.txt': 'in.txt',
    'out.txt': '../outside/secret.txt',
    dirlink: '../outside',
    loop: 'loop',
    dangling: 'nowhere',
    zero: '/dev/zero',
    'sub/up.txt': '../in.txt',
    state: '.turnstile',
  })) {
    await symlink(target, join(real, name));
  }
  execFileSync('mkfifo', [join(real, 'pipe')]);
  await symlink(real, join(folder, 'work'));
  return join(folder, 'work');
}

const CASES: readonly {
  readonly path: string;
  readonly kind: 'succeeded' | 'failed';
  readonly says: string | RegExp;
}[] = [
  { path: 'in.txt', kind: 'succeeded', says: 'inside' },
  { path: './sub/../in.txt', kind: 'succeeded', says: 'inside' },
  { path: 'link.txt', kind: 'succeeded', says: 'inside' },
  { path: 'sub/up.txt', kind: 'succeeded', says: 'inside' },
  { path: 'empty.txt', kind: 'succeeded', says: '(the file is empty)' },
  { path: 'bom.txt', kind: 'succeeded', says: 'with bom' },
  { path: 'crlf.txt', kind: 'succeeded', says: 'a\r\nb\r\n' },
  { path: 'esc.txt', kind: 'succeeded', says: 'a\u001b[31mb\u0085' },
  { path: 'Absch\u00e4tzung.txt', kind: 'succeeded', says: 'decomposed' },
  { path: 'out.txt', kind: 'failed', says: /is outside the workspace.*copy into the workspace/ },
  { path: 'dirlink/secret.txt', kind: 'failed', says: /is outside the workspace/ },
  { path: 'dirlink', kind: 'failed', says: /is outside the workspace/ },
  { path: '../outside/secret.txt', kind: 'failed', says: /is outside the workspace/ },
  { path: '/etc/passwd', kind: 'failed', says: /is outside the workspace/ },
  { path: '/nowhere/at/all', kind: 'failed', says: /is outside the workspace/ },
  { path: '.turnstile/runs/a.jsonl', kind: 'failed', says: /belongs to the program/ },
  { path: 'state/runs/a.jsonl', kind: 'failed', says: /belongs to the program/ },
  { path: 'loop', kind: 'failed', says: /links lead in a circle/ },
  { path: 'dangling', kind: 'failed', says: /no file "dangling".*in\.txt/ },
  { path: 'none.txt', kind: 'failed', says: /no file "none.txt".*in\.txt/ },
  { path: 'sub/none.txt', kind: 'failed', says: /in "sub": b\.txt, deep\/, up\.txt\./ },
  { path: 'in.txt/below', kind: 'failed', says: /no file/ },
  { path: 'dirlink/none.txt', kind: 'failed', says: /no file "dirlink\/none.txt"/ },
  { path: 'sub', kind: 'failed', says: /is a folder. It holds: b\.txt, deep\/, up\.txt/ },
  { path: '.', kind: 'failed', says: /is a folder/ },
  { path: 'pipe', kind: 'failed', says: /is a pipe, not a file/ },
  { path: 'zero', kind: 'failed', says: /is a device, not a file|is outside/ },
  { path: '', kind: 'failed', says: /path is blank/ },
  { path: '  ', kind: 'failed', says: /path is blank/ },
  { path: 'a\0b', kind: 'failed', says: /NUL character/ },
  { path: 'x'.repeat(300), kind: 'failed', says: /name is too long/ },
  { path: 'bad.bin', kind: 'failed', says: /not UTF-8 text: byte 2/ },
  { path: 'lone.bin', kind: 'failed', says: /not UTF-8 text: byte 0/ },
  { path: 'half.bin', kind: 'failed', says: /not UTF-8 text/ },
];

describe('read_file (D16, D20, D26)', () => {
  it.each(CASES)('$path has $kind', async ({ path, kind, says }) => {
    const outcome = await read(await workspace(), { path });
    expect(outcome.kind).toBe(kind);
    if (typeof says === 'string') expect(outcome.content).toBe(says);
    else expect(outcome.content).toMatch(says);
    expect(outcome.content).not.toContain('secret.txt,');
  });

  it('takes an absolute path that leads inside', async () => {
    const work = await workspace();
    expect(await read(work, { path: join(work, 'in.txt') })).toMatchObject({ content: 'inside' });
  });

  it('tells nothing of what is in a folder outside', async () => {
    const outcome = await read(await workspace(), { path: 'dirlink/none.txt' });
    expect(outcome.content).not.toContain('secret');
  });

  it('closes what it opens, whatever becomes of it', async () => {
    const work = await workspace();
    const before = readdirSync('/proc/self/fd').length;
    for (let time = 0; time < 20; time += 1) {
      for (const { path } of CASES) await read(work, { path });
    }
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 2);
  });

  it.each([
    ['EACCES', 'permission was denied'],
    ['EPERM', 'permission was denied'],
    ['ELOOP', 'its links lead in a circle'],
    ['ENAMETOOLONG', 'its name is too long'],
    ['EIO', 'the system says EIO'],
  ])('says of %s that %s', (code, reason) => {
    expect(reasonOf(code)).toBe(reason);
  });
});

describe('lines', () => {
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
    { input: { from_line: 6 }, says: /has 5 lines; line 6 is past its end/ },
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

  it('that are longer than the cap are cut between characters, and that is said (A20)', async () => {
    const work = await newFolder();
    await writeFile(join(work, 'wide'), `${'🚀'.repeat(5_000)}\nend\n`);
    const outcome = await read(work, { path: 'wide' }, { maxBytes: 1_001 });
    expect(outcome.content.isWellFormed()).toBe(true);
    expect(outcome.content).toMatch(/^(🚀)+\n\[line 1 is too long and was cut here/u);
    expect(await read(work, { path: 'wide', from_line: 2 }, { maxBytes: 1_001 })).toMatchObject({
      content: 'end\n',
    });
  });

  it('read on by the hint, piece by piece, are the whole file', async () => {
    const work = await newFolder();
    const line = fc
      .string({ unit: 'grapheme', maxLength: 12 })
      .map((text) => text.replaceAll(/[\n\uFEFF]/g, ''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 300, max: 600 }),
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
