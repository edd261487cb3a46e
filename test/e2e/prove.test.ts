import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIGURATIONS } from '../../src/paths/configurations.ts';
import { NOT_PROVEN } from '../../src/paths/report.ts';
import type { KitPath, Proof } from '../../src/testing/index.ts';
import { folderWith, turnstile } from './command.ts';

describe.concurrent('turnstile prove', () => {
  it.each([
    { args: ['--export', 'kit', '--json'], says: '--export and --json' },
    { args: ['--export', 'kit', '--play'], says: '--export and --play' },
    { args: ['--export', 'kit', '--max-turns', '3'], says: '--export and --max-turns' },
    { args: ['--max-turns', '5'], says: '5 is none of 2 to 4' },
    { args: ['--export', 'a.txt'], says: '--export a.txt' },
    { args: ['--export', join('a.txt', 'kit')], says: '--export a.txt/kit' },
    { args: ['--export', '/proc/kit'], says: '--export /proc/kit' },
  ])('$args is a usage error that says so at once', async ({ args, says }) => {
    const cwd = await folderWith({ 'a.txt': 'a' });
    const ended = await turnstile(['prove', ...args], { cwd });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(says) });
  });

  it('within two turns the contract holds, and the output says the bounds, the time and what is not proven', async () => {
    const ended = await turnstile(['prove', '--max-turns', '2'], { cwd: await folderWith() });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const says = [
      'Within these bounds no step breaks the contract.',
      /This took \d+\.\d seconds\./,
      /\| configuration +\| turns \| at the limit \| retries \| growths \| continuations \| stuck \| budget +\|/,
      // It has four turns without the option; one that goes on keeps its three.
      /\| stuck +\| 2 +\| summarise +\| 0 +\| 1 +\| 1 +\| 2 +\| – +\|/,
      /\| carried turns +\| 3 +\|/,
      'Configurations of one turn, and those that go on (“resumed”, “carried”, “gone on”), keep their turns.',
      'nothing was played',
      ...NOT_PROVEN,
    ];
    for (const text of says) expect(ended.stdout).toMatch(text);
  });

  it('--json says the same: bounds, counts, seconds', async () => {
    const args = ['prove', '--max-turns', '2', '--json'];
    const ended = await turnstile(args, { cwd: await folderWith() });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const said = JSON.parse(ended.stdout) as Proof & { readonly seconds: number };
    expect(said).toMatchObject({ breaches: [], faults: [], notProven: NOT_PROVEN });
    expect(said.seconds).toBeGreaterThan(0);
    expect(said.configurations.slice(0, CONFIGURATIONS.length)).toMatchObject(
      CONFIGURATIONS.map(({ name, maxTurns, batches }) => ({
        name,
        batches,
        input: { limits: { maxTurns: Math.min(2, maxTurns) } },
        states: expect.any(Number),
      })),
    );
  });

  it('--export writes one path after the other, each as a whole document', async () => {
    const cwd = await folderWith();
    // All of them take more than a minute: it is told to end when it has written the first ones.
    const ended = await turnstile(['prove', '--export', 'kit'], {
      cwd,
      env: { TMPDIR: cwd },
      onStart: (child) => {
        child.stderr?.once('data', () => {
          const watcher = watch(join(cwd, 'kit'), (_, name) => {
            if (name !== null && name >= 'calls-0003.json') child.kill();
          });
          child.on('close', () => watcher.close());
        });
      },
    });
    expect(ended).toMatchObject({ stdout: '', stderr: 'playing calls\n' });
    const texts = ['calls-0001.json', 'calls-0002.json'].map((name) =>
      readFile(join(cwd, 'kit', name), 'utf8'),
    );
    const paths = (await Promise.all(texts)).map((text) => JSON.parse(text) as KitPath);
    expect(paths).toMatchObject([
      { format: 1, name: 'calls-0001', limits: { maxTurns: 2 }, expected: { reason: expect.any(String) } },
      { format: 1, name: 'calls-0002', limits: { maxTurns: 2 }, expected: { reason: expect.any(String) } },
    ]);
  });
});
