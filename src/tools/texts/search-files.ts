/** What `search_files` says to the model, beside what is said of paths. */
import { countOf, listOf, quoted } from './words.ts';

/** Why a pattern cannot be searched for. */
export type PatternProblem = 'empty' | 'large' | 'line_break' | 'bad';

/** What was not searched, or only in part. */
export interface NotSearched {
  /** Only told of where nothing else was found: nobody misses them beside texts. */
  readonly binaryFiles: number;
  readonly largeFiles: number;
  readonly hardLinks: number;
  readonly unreadable: number;
  readonly longLines: number;
}

export interface SearchFilesTexts {
  readonly badPattern: (pattern: string, problem: PatternProblem, reason: string) => string;
  readonly noPath: (path: string, folder: string, names: readonly string[]) => string;
  /** `isOtherThere`: there are files, and `notSearched` says of them why none was searched. */
  readonly noHit: (pattern: string, files: number, isOtherThere: boolean) => string;
  /** Stands behind the lines that are shown. */
  readonly more: (shown: number) => string;
  readonly notSearched: (what: NotSearched) => string;
}

const WHY: Readonly<Record<PatternProblem, string>> = {
  empty: 'is empty',
  large: 'is too large',
  line_break: 'holds a line break',
  bad: 'is no regular expression',
};

const HOW: Readonly<Record<PatternProblem, string>> = {
  empty: 'Give the text to look for, or use list_files to see what is there.',
  large: 'Write less than 500 characters, and smaller counts in {}.',
  line_break: 'Lines are searched one by one: give a part of one line.',
  bad: 'The syntax is that of RE2: no backreferences, no (?=…) and (?<=…). fixed: true takes the pattern as plain text.',
};

const partsOf = ({ binaryFiles, largeFiles, hardLinks, unreadable, longLines }: NotSearched): string =>
  [
    ...(binaryFiles > 0 ? [countOf(binaryFiles, 'binary file', 'binary files')] : []),
    ...(largeFiles > 0 ? [`${countOf(largeFiles, 'file', 'files')} too large`] : []),
    ...(hardLinks > 0 ? [`${countOf(hardLinks, 'file', 'files')} with more than one name`] : []),
    ...(unreadable > 0
      ? [`${countOf(unreadable, 'file or folder', 'files or folders')} that cannot be read`]
      : []),
    ...(longLines > 0 ? [`${countOf(longLines, 'line', 'lines')} behind the first 10000 characters`] : []),
  ].join(', ');

export const bareSearchFiles = {
  badPattern: (pattern: string, problem: PatternProblem, reason: string) =>
    `The pattern ${quoted(pattern)} ${WHY[problem]}${reason === '' ? '' : `: ${reason}`}.`,
  noPath: (path: string) => `There is no file or folder ${quoted(path)} in the workspace.`,
  noHit: (pattern: string, files: number) =>
    `No line matches ${quoted(pattern)} in ${countOf(files, 'file', 'files')}.`,
  more: (shown: number) =>
    `[these are the first ${countOf(shown, 'line', 'lines')} that match; there are more]`,
  notSearched: (what: NotSearched) => `[not searched: ${partsOf(what)}]`,
} satisfies SearchFilesTexts;

export const instructiveSearchFiles: SearchFilesTexts = {
  ...bareSearchFiles,
  badPattern: (pattern, problem, reason) =>
    `${bareSearchFiles.badPattern(pattern, problem, reason)} ${HOW[problem]}`,
  noPath: (path, folder, names) =>
    `${bareSearchFiles.noPath(path)} In ${folder === '' ? 'the workspace' : quoted(folder)} there are: ${listOf(names)}. Give a path that is there, or none for the whole workspace.`,
  noHit: (pattern, files, isOtherThere) => {
    if (files === 0 && isOtherThere) return 'No file was searched.';
    return files === 0
      ? 'No file was searched: none is there, or the glob leaves out all. A glob with a slash counts from the folder, one without matches names at any depth.'
      : `${bareSearchFiles.noHit(pattern, files)} Try a shorter pattern or ignore_case: true; binary files and what .gitignore leaves out were not searched.`;
  },
  more: (shown) =>
    `[these are the first ${countOf(shown, 'line', 'lines')} that match; there are more. To see others, give a path, a glob or a narrower pattern]`,
};
