import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const names = (await readdir(join(root, 'examples'))).filter((name) => name.endsWith('.ts'));
const run = promisify(execFile);
let folder = '';

/** Node 20 runs no TypeScript. Compiled inside the package, the examples find it by its own name. */
beforeAll(async () => {
  folder = await mkdtemp(join(root, 'dist/.examples-'));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: {
        noEmit: false,
        outDir: 'out',
        rootDir: '../../examples',
        rewriteRelativeImportExtensions: false,
      },
      include: ['../../examples'],
    }),
  );
  await run('npx', ['tsc', '-p', folder], { cwd: root });
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the examples', () => {
  it.each(names)('%s checks itself, and passes', async (name) => {
    const { stdout } = await run(process.execPath, [join(folder, 'out', name.replace('.ts', '.js'))], {
      cwd: root,
    });
    expect(stdout).not.toBe('');
  });
});
