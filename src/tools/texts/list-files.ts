/** What `list_files` says to the model, beside what is said of paths. */
import { countOf, listOf, quoted } from './words.ts';

export interface ListFilesTexts {
  readonly noFolder: (path: string, folder: string, names: readonly string[]) => string;
  readonly isFile: (path: string, tools: readonly string[]) => string;
  readonly badPattern: (pattern: string, reason: string) => string;
  readonly emptyFolder: (path: string) => string;
  readonly noMatch: (path: string, pattern: string) => string;
  /** Stands behind the entries that are shown. */
  readonly more: (shown: number) => string;
  readonly ignored: (entries: number) => string;
  readonly unreadable: (folders: number) => string;
  /** Stands behind the name of a link. */
  readonly linkTo: (way: string) => string;
  readonly linkOut: () => string;
  readonly brokenLink: () => string;
  /** Stands behind a name whose bytes are no text. */
  readonly lostName: () => string;
}

export const bareListFiles = {
  noFolder: (path: string) => `There is no folder ${quoted(path)} in the workspace.`,
  isFile: (path: string) => `${quoted(path)} is a file, not a folder.`,
  badPattern: (pattern: string, reason: string) => `${quoted(pattern)} is no glob: ${reason}.`,
  emptyFolder: (path: string) => `The folder ${quoted(path)} is empty.`,
  noMatch: (path: string, pattern: string) => `Nothing in ${quoted(path)} matches ${quoted(pattern)}.`,
  more: (shown: number) => `[these are the first ${shown}; there are more]`,
  ignored: (entries: number) => `[.gitignore leaves out ${countOf(entries, 'entry', 'entries')}]`,
  unreadable: (folders: number) => `[${countOf(folders, 'folder', 'folders')} cannot be read]`,
  linkTo: (way: string) => ` -> ${way}`,
  linkOut: () => ' (a link that leads out of the workspace)',
  brokenLink: () => ' (a link that leads nowhere)',
  lostName: () => ' (its name is not UTF-8, so no tool can open it)',
} satisfies ListFilesTexts;

export const instructiveListFiles: ListFilesTexts = {
  ...bareListFiles,
  noFolder: (path, folder, names) =>
    `${bareListFiles.noFolder(path)} In ${folder === '' ? 'the workspace' : quoted(folder)} there are: ${listOf(names)}. Give the path of a folder that is there, or none for the whole workspace.`,
  isFile: (path, tools) =>
    `${bareListFiles.isFile(path)}${tools.includes('read_file') ? ' Read it with read_file.' : ' Give the path of a folder.'}`,
  badPattern: (pattern, reason) =>
    `${bareListFiles.badPattern(pattern, reason)} A glob has * and ? within a name, ** across folders, [abc] and {a,b}.`,
  noMatch: (path, pattern) =>
    `${bareListFiles.noMatch(path, pattern)} A pattern counts from the folder: *.csv is in it, **/*.csv at any depth below it.`,
  more: (shown) =>
    `[these are the first ${shown}; there are more. To see others, give the path of a folder, or a narrower pattern]`,
  ignored: (entries) =>
    `[.gitignore leaves out ${countOf(entries, 'entry', 'entries')}; include_ignored: true lists them]`,
};
