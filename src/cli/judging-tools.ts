import type { Tool } from '../tools/define-tool.ts';
import { runPython } from '../tools/run-python.ts';
import { fileTools } from './file-tools.ts';

/** Tools of the command by name, to judge calls by: nothing is looked for, and nothing runs in them. */
export const judgingTools = (names: readonly string[]): readonly Tool[] => [
  ...fileTools(names),
  ...(names.includes('run_python') ? [runPython({ sandbox: 'none' })] : []),
];
