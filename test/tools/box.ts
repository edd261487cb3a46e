/** A toolbox and a workspace for tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Toolbox, ToolOutcome } from '../../src/ports.ts';
import type { ToolContext } from '../../src/tools/define-tool.ts';
import { createRedactor } from '../../src/text/redact.ts';
import { readFile, type ReadFileOptions } from '../../src/tools/read-file.ts';
import { instructive } from '../../src/tools/texts.ts';
import { createToolbox, type ToolboxOptions } from '../../src/tools/toolbox.ts';

export const boxWith = (options: Partial<ToolboxOptions>): Toolbox =>
  createToolbox({ tools: [], runId: 'run1', workdir: '/', texts: instructive, ...options });

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnstile-tools-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export const never = new AbortController().signal;

export const read = (workdir: string, input: unknown, options: ReadFileOptions = {}): Promise<ToolOutcome> =>
  boxWith({ tools: [readFile(options)], workdir }).run({ id: 'a', name: 'read_file', input }, never);

/** What a tool gets, where it is called without a toolbox. */
export const contextIn = (workdir: string, changes: Partial<ToolContext> = {}): ToolContext => ({
  runId: 'run1',
  callId: 'call-1',
  workdir,
  signal: never,
  texts: instructive,
  tools: ['read_file', 'run_python'],
  hidden: [],
  report: () => undefined,
  redact: createRedactor([]),
  maxOutputCharacters: 1_000_000,
  noteOutputFile: () => undefined,
  ...changes,
});
