import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { printSelector } from '../../src/rules/text.ts';
import { runs } from '../properties/runs.ts';
import { anyRule } from '../rules/arbitraries.ts';

const TOOLS = 'read_file,list_files,search_files,write_file';

/** What the command writes to stdout. */
async function told(...args: readonly string[]): Promise<string> {
  let text = '';
  const stdout = new Writable({
    decodeStrings: false,
    write: (piece: string, _, done) => {
      text += piece;
      done();
    },
  });
  const stderr = new Writable({ write: (_, __, done) => done() });
  await runProgram(args, { stdin: Readable.from([]), stdout, stderr, env: {} });
  return text;
}

const path = fc.constantFrom(
  'a',
  './a',
  'x/../a',
  'data/x',
  'link',
  '../a',
  '/etc/passwd',
  'a%2fb',
  'A',
  '__proto__',
);
const call = fc.oneof(
  fc.record({ tool: fc.constant('read_file'), input: fc.record({ path }) }),
  fc.record({
    tool: fc.constant('write_file'),
    input: fc.record({ path, content: fc.string().filter((text) => !text.includes('{{')) }),
  }),
  fc.record({ tool: fc.constant('list_files'), input: fc.constant({}) }),
);
const flags = fc
  .array(
    anyRule.filter(({ tool }) => tool !== 'run_python'),
    { maxLength: 5 },
  )
  .map((rules) => rules.map((rule) => `--${rule.verdict}=${printSelector(rule)}`));

it('what `rules check` says of a call is what a run decides, by the same rule', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'turnstile-agree-'));
  try {
    await writeFile(join(folder, 'a'), 'x');
    await symlink('a', join(folder, 'link'));
    const script = join(folder, 'script.json');
    const check = async (
      calls: readonly { readonly tool: string; readonly input: object }[],
      rules: readonly string[],
      isYes: boolean,
    ): Promise<void> => {
      const turns = [{ call: calls }, { say: 'Done.' }];
      await writeFile(script, JSON.stringify(turns));
      const here = ['--workdir', folder, '--tools', TOOLS, ...rules];
      const output = await told(
        'do it',
        ...here,
        ...(isYes ? ['--yes'] : ['--on-ask', 'deny']),
        '--model',
        `scripted:${script}`,
        '--output',
        'stream-json',
        '--state-dir',
        join(folder, 'state'),
      );
      const lines = output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const fact = lines.find(({ type }) => type === 'model.called_tools');
      const said = await Promise.all(
        calls.map(async ({ tool, input }) =>
          told(
            'rules',
            'check',
            `${tool} ${JSON.stringify(input)}`,
            ...here,
            '--json',
            ...(isYes ? ['--yes'] : []),
          ),
        ),
      );
      const verdicts = said.map((text) => JSON.parse(text) as Record<string, unknown>);
      expect(verdicts).toHaveLength(calls.length);
      expect(fact).toMatchObject({ calls: verdicts.map(({ verdict, rule }) => ({ verdict, rule })) });
    };
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), flags, fc.boolean(), check),
      runs(40),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
