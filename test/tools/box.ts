/** A toolbox and a workspace for tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Toolbox, ToolOutcome } from '../../src/ports.ts';
import { readFile, type ReadFileOptions } from '../../src/tools/read-file.ts';
import { instructive } from '../../src/tools/texts.ts';
import { createToolbox, type ToolboxOptions } from '../../src/tools/toolbox.ts';

export const boxWith = (options: Partial<ToolboxOptions>): Toolbox =>
  createToolbox({ tools: [], workdir: '/', texts: instructive, ...options });

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnstile-tools-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export const never = new AbortController().signal;

export const read = (workdir: string, input: unknown, options: ReadFileOptions = {}): Promise<ToolOutcome> =>
  boxWith({ tools: [readFile(options)], workdir }).run({ id: 'a', name: 'read_file', input }, never);
