/** A toolbox and a workspace for tests. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Toolbox, ToolOutcome } from '../../src/ports.ts';
import type { Tool, ToolContext } from '../../src/tools/define-tool.ts';
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

/** One call of a tool, as a run makes it. */
export const call = (
  tool: Tool,
  workdir: string,
  input: unknown,
  hidden: readonly string[] = [],
): Promise<ToolOutcome> =>
  boxWith({ tools: [tool], workdir, hidden }).run({ id: 'a', name: tool.definition.name, input }, never);

/** Files of a folder, and folders around them. */
export async function filled(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await newFolder();
  for (const [way, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, way)), { recursive: true });
    await writeFile(join(folder, way), content);
  }
  return folder;
}

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
