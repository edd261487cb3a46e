/** `turnstile demo`: the real loop, tools and client against our own server, which plays a script. */
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_EFFORT, DEFAULT_MAX_TOKENS, DEFAULT_MODEL } from '../defaults.ts';
import { UserError } from '../errors.ts';
import { parseScript } from '../model/parse-script.ts';
import { execute } from './execute.ts';
import { EXIT } from './exit-codes.ts';
import { writeAll, type Io } from './io.ts';
import { openScript } from './model.ts';
import type { RunOptions } from './options.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { packageRoot } from './version.ts';

const TRANSCRIPT = 'demo.transcript.json';

export interface DemoOptions {
  readonly yes?: boolean;
  readonly output: string;
}

export async function runDemo(name: string, options: DemoOptions, io: Io): Promise<number> {
  if (name === 'list') {
    await writeAll(
      io.stdout,
      SCENARIOS.map((scenario) => `${scenario.name.padEnd(14)}${scenario.shows}\n`).join(''),
    );
    return EXIT.ok;
  }
  const scenario = SCENARIOS.find((candidate) => candidate.name === name);
  if (scenario === undefined) {
    const names = SCENARIOS.map((candidate) => candidate.name).join(', ');
    throw new UserError(`There is no scenario ${JSON.stringify(name)}. There are: ${names}.`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'turnstile-demo-'));
  try {
    const workdir = join(folder, 'workspace');
    // Whom code runs as may be another user.
    await chmod(folder, 0o711);
    await cp(fileURLToPath(new URL('workspace', packageRoot())), workdir, { recursive: true });
    await writeAll(
      io.stderr,
      `Demo "${scenario.name}": ${scenario.shows}.\nThe model is scripted and runs in this process; the loop, the tools and the HTTP are real.\nTask: ${scenario.task}\n`,
    );
    return await execute(
      {
        task: scenario.task,
        options: runOptionsOf(scenario, options, workdir),
        waysOn: () => '--yes',
        openModel: () => openScript(parseScript(scenario.script, `demo ${scenario.name}`)),
      },
      io,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runOptionsOf(scenario: Scenario, { yes, output }: DemoOptions, workdir: string): RunOptions {
  if (output !== 'text' && output !== 'json' && output !== 'stream-json') {
    throw new UserError(`--output: there is no ${output}. It takes text, json or stream-json.`);
  }
  return {
    workdir,
    model: DEFAULT_MODEL,
    effort: DEFAULT_EFFORT,
    maxTurns: scenario.maxTurns,
    onLimit: 'summarise',
    maxUsd: 0.05,
    maxTokens: DEFAULT_MAX_TOKENS,
    toolTimeout: 30,
    ...(yes && { yes }),
    unattended: 'deny',
    // Its scripts are our own: root may let them work, as nobody and in a sandbox.
    asRoot: true,
    tools: scenario.tools,
    stateDir: '.turnstile',
    transcript: TRANSCRIPT,
    output,
  };
}
