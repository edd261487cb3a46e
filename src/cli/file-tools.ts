import type { Tool } from '../tools/define-tool.ts';
import { editFile } from '../tools/edit-file.ts';
import { listFiles } from '../tools/list-files.ts';
import { readFile } from '../tools/read-file.ts';
import { searchFiles } from '../tools/search-files.ts';
import { writeFile } from '../tools/write-file.ts';

/** The tools with these names that need nothing but the workspace. */
export const fileTools = (names: readonly string[]): readonly Tool[] =>
  [readFile(), listFiles(), searchFiles(), writeFile(), editFile()].filter(({ definition }) =>
    names.includes(definition.name),
  );
