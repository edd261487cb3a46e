/** All that is said to the model when something goes wrong, as data: a run can swap the set. */
import type { LoopTexts } from '../ports.ts';
import { bareListFiles, instructiveListFiles, type ListFilesTexts } from './texts/list-files.ts';
import { bareLoop, instructiveLoop } from './texts/loop.ts';
import { bareReadFile, instructiveReadFile, type ReadFileTexts } from './texts/read-file.ts';
import { bareRunPython, instructiveRunPython, type RunPythonTexts } from './texts/run-python.ts';
import { bareSearchFiles, instructiveSearchFiles, type SearchFilesTexts } from './texts/search-files.ts';
import { bareToolbox, instructiveToolbox, type ToolboxTexts } from './texts/toolbox.ts';
import { bareWriteFiles, instructiveWriteFiles, type WriteFilesTexts } from './texts/write-files.ts';

export interface ToolTexts extends LoopTexts {
  readonly toolbox: ToolboxTexts;
  readonly readFile: ReadFileTexts;
  readonly listFiles: ListFilesTexts;
  readonly searchFiles: SearchFilesTexts;
  readonly writeFiles: WriteFilesTexts;
  readonly runPython: RunPythonTexts;
}

/** What happened, what is allowed, what to try next. The default. */
export const instructive: ToolTexts = {
  name: 'instructive',
  ...instructiveLoop,
  toolbox: instructiveToolbox,
  readFile: instructiveReadFile,
  listFiles: instructiveListFiles,
  searchFiles: instructiveSearchFiles,
  writeFiles: instructiveWriteFiles,
  runPython: instructiveRunPython,
};

/** What happened, and no advice: shows how much of a model's behaviour is due to the words it is given. */
export const bare: ToolTexts = {
  name: 'bare',
  ...bareLoop,
  toolbox: bareToolbox,
  readFile: bareReadFile,
  listFiles: bareListFiles,
  searchFiles: bareSearchFiles,
  writeFiles: bareWriteFiles,
  runPython: bareRunPython,
};
