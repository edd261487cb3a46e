import type { Tool } from '../tools/define-tool.ts';
import { readFile } from '../tools/read-file.ts';
import { runPython } from '../tools/run-python.ts';

/** Tools of the command by name, to judge calls by: nothing is looked for, and nothing runs in them. */
export const judgingTools = (names: readonly string[]): readonly Tool[] =>
  [readFile(), runPython()].filter(({ definition }) => names.includes(definition.name));
