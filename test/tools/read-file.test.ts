import { isUtf8 } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { filled, newFolder, read } from './box.ts';

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
  await writeFile(join(real, 'only-bom.txt'), '\uFEFF');
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
  { path: 'only-bom.txt', kind: 'succeeded', says: '(the file is empty)' },
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
  { path: 'in.txt/below', kind: 'failed', says: /no file.*in the workspace: .*in\.txt/ },
  { path: 'dirlink/none.txt', kind: 'failed', says: /is outside the workspace/ },
  { path: 'sub', kind: 'failed', says: /is a folder. It holds: b\.txt, deep\/, up\.txt/ },
  { path: '.', kind: 'failed', says: /is a folder/ },
  { path: 'pipe', kind: 'failed', says: /is a pipe, not a file/ },
  { path: 'zero', kind: 'failed', says: /is outside the workspace/ },
  { path: '', kind: 'failed', says: /path is blank/ },
  { path: '  ', kind: 'failed', says: /path is blank/ },
  { path: 'a\0b', kind: 'failed', says: /NUL character/ },
  { path: 'x'.repeat(300), kind: 'failed', says: /name is too long/ },
  { path: 'bad.bin', kind: 'failed', says: /not UTF-8 text: byte 2/ },
  { path: 'lone.bin', kind: 'failed', says: /not UTF-8 text: byte 0/ },
  { path: 'half.bin', kind: 'failed', says: /not UTF-8 text: byte 1/ },
];

describe('read_file (D16, D20, D26)', () => {
  it.each(CASES)('$path has $kind', async ({ path, kind, says }) => {
    const outcome = await read(await workspace(), { path });
    expect(outcome.kind).toBe(kind);
    if (typeof says === 'string') expect(outcome.content).toBe(says);
    else expect(outcome.content).toMatch(says);
    expect(outcome.content).not.toContain('secret.txt,');
  });

  it.each([
    { name: 'a\nb', shown: '"a\\nb"' },
    { name: 'a, b', shown: '"a, b"' },
    { name: 'a\u202eb', shown: '"a\u202eb"' },
    { name: 'a b', shown: 'a b' },
  ])('names $shown so that it is one name in a list', async ({ name, shown }) => {
    const work = await filled({ [name]: '', z: '' });
    const { content } = await read(work, { path: 'none' });
    expect(content).toContain(`in the workspace: ${shown}, z. `);
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
    for (let call = 0; call < 2_000; call += 1) {
      await read(work, { path: CASES[call % CASES.length]?.path, from_line: 1 + (call % 2) });
    }
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 2);
  });

  it('opens no device and no socket', async () => {
    const work = await workspace();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(work, 'socket'), resolve));
    onTestFinished(() => void server.close());
    const saysOf = async (folder: string, path: string) => (await read(folder, { path })).content;
    expect(await saysOf(work, 'socket')).toMatch(/^"socket" is a socket, not a file/);
    expect(await saysOf('/dev', 'zero')).toMatch(/^"zero" is a device, not a file/);
  });

  it('gives three calls at once each its own result (A02)', async () => {
    const work = await workspace();
    await truncate(join(work, 'sub/b.txt'), 50_000_000);
    const outcomes = await Promise.all(['in.txt', 'sub/b.txt', 'sub'].map((path) => read(work, { path })));
    expect(outcomes).toEqual([
      { kind: 'succeeded', content: 'inside' },
      { kind: 'succeeded', content: expect.stringMatching(/line 1 is too long/) },
      { kind: 'failed', content: expect.stringMatching(/^"sub" is a folder/) },
    ]);
  });

  it('tells of an error that comes while it reads, and not of where the file is', async () => {
    // Memory cannot be read at 0: the one file that opens and then fails for everybody.
    expect(await read('/proc/self', { path: 'mem' })).toMatchObject({
      kind: 'failed',
      content: expect.stringMatching(/^"mem" cannot be read: the system says EIO\./),
    });
  });

  it('lists 50 names of a large folder, in order, and says how many more there are', async () => {
    const work = await newFolder();
    const names = Array.from({ length: 60 }, (_, index) => `${100 + index}`);
    for (const name of names.toReversed()) await writeFile(join(work, name), '');
    const { content } = await read(work, { path: '.' });
    expect(content).toContain(`It holds: ${names.slice(0, 50).join(', ')} and 10 more.`);
  });

  it('names the byte that is no text beyond the first chunk, and beyond a character that two chunks share (D20)', async () => {
    const work = await newFolder();
    const text = `a${'\u20ac'.repeat(50_000)}`;
    await writeFile(join(work, 'f'), Buffer.concat([Buffer.from(text), Buffer.from([0x80])]));
    const outcome = await read(work, { path: 'f' }, { maxBytes: 1_000_000 });
    expect(outcome.content).toContain(`byte ${Buffer.byteLength(text)} starts no character`);
  });

  it('gives a failed call for random bytes, never a broken string (D20)', async () => {
    const work = await newFolder();
    const bytes = fc.uint8Array({ minLength: 64, maxLength: 4_096, min: 1 });
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await writeFile(join(work, 'f'), content);
        const outcome = await read(work, { path: 'f' });
        expect(outcome.kind).toBe(isUtf8(content) ? 'succeeded' : 'failed');
        expect(outcome.content.isWellFormed()).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});
