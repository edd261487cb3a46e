/** What `read_file` says to the model; what is said of paths, other tools say as well. */
import { listOf, quoted } from './words.ts';

export interface ReadFileTexts {
  readonly blankPath: () => string;
  readonly nulByte: () => string;
  readonly outside: (path: string) => string;
  readonly stateFolder: (path: string) => string;
  readonly hardLink: (path: string) => string;
  readonly missing: (
    path: string,
    folder: string,
    names: readonly string[],
    tools: readonly string[],
  ) => string;
  readonly folder: (path: string, names: readonly string[], tools: readonly string[]) => string;
  readonly special: (path: string, kind: string) => string;
  readonly unreadable: (path: string, reason: string) => string;
  readonly notText: (path: string, byteOffset: number) => string;
  readonly emptyFile: () => string;
  readonly pastEnd: (path: string, fromLine: number, lines: number) => string;
  readonly backwards: (fromLine: number, toLine: number) => string;
  /** Stands behind the part of a file that fits. */
  readonly more: (fromLine: number, toLine: number, bytes: number) => string;
  readonly longLine: (line: number) => string;
}

export const bareReadFile = {
  blankPath: () => 'The path is blank.',
  nulByte: () => 'The path holds a NUL character.',
  outside: (path: string) => `${quoted(path)} is outside the workspace.`,
  stateFolder: (path: string) => `${quoted(path)} belongs to the program that runs you.`,
  hardLink: (path: string) =>
    `${quoted(path)} has more than one name (it is a hard link); another one may be outside the workspace.`,
  missing: (path: string) => `There is no file ${quoted(path)} in the workspace.`,
  folder: (path: string) => `${quoted(path)} is a folder.`,
  special: (path: string, kind: string) => `${quoted(path)} is a ${kind}, not a file.`,
  unreadable: (path: string, reason: string) => `${quoted(path)} cannot be read: ${reason}.`,
  notText: (path: string, byteOffset: number) =>
    `${quoted(path)} is not UTF-8 text: byte ${byteOffset} starts no character.`,
  emptyFile: () => '(the file is empty)',
  pastEnd: (path: string, fromLine: number, lines: number) =>
    `${quoted(path)} has ${lines} ${lines === 1 ? 'line' : 'lines'}; line ${fromLine} is past its end.`,
  backwards: (fromLine: number, toLine: number) => `from_line ${fromLine} is behind to_line ${toLine}.`,
  more: (fromLine: number, toLine: number, bytes: number) =>
    `\n[lines ${fromLine} to ${toLine} of a file of ${bytes} bytes]`,
  longLine: (line: number) => `\n[line ${line} is too long and was cut here]`,
} satisfies ReadFileTexts;

const LOOK = 'Files and folders';

/** A run is told only of a tool that it has. */
function orList(tools: readonly string[]): string {
  const lister = ['list_files', 'run_python'].find((name) => tools.includes(name));
  return lister === undefined ? '' : ` To see more of the workspace, list it with ${lister}.`;
}

export const instructiveReadFile: ReadFileTexts = {
  blankPath: () => 'The path is blank. Give the path of a file, relative to the workspace.',
  nulByte: () => 'The path holds a NUL character. No file has such a name; send the path without it.',
  outside: (path) =>
    `${bareReadFile.outside(path)} Only files in the workspace can be read, by a path relative to it. If the task needs this file, ask the user to put a copy into the workspace.`,
  stateFolder: (path) => `${bareReadFile.stateFolder(path)} It cannot be read. Work with the other files.`,
  hardLink: (path) =>
    `${bareReadFile.hardLink(path)} It cannot be read. If the task needs it, ask the user to put a copy of it into the workspace.`,
  missing: (path, folder, names, tools) =>
    `${bareReadFile.missing(path)} ${LOOK} in ${folder === '' ? 'the workspace' : quoted(folder)}: ${listOf(names)}. Read one of these if it is what you need, or say that the file is missing.${orList(tools)}`,
  folder: (path, names, tools) =>
    `${bareReadFile.folder(path)} It holds: ${listOf(names)}. Read one of its files by its path.${orList(tools)}`,
  special: (path, kind) => `${bareReadFile.special(path, kind)} Only regular files can be read.`,
  unreadable: (path, reason) =>
    `${bareReadFile.unreadable(path, reason)} Trying again will not help; go on without it, or tell the user.`,
  notText: (path, byteOffset) =>
    `${bareReadFile.notText(path, byteOffset)} read_file reads text only. Tell the user if the task needs this file.`,
  emptyFile: bareReadFile.emptyFile,
  pastEnd: (path, fromLine, lines) =>
    `${bareReadFile.pastEnd(path, fromLine, lines)} ${lines === 1 ? 'Ask for line 1.' : `Ask for lines from 1 to ${lines}.`}`,
  backwards: (fromLine, toLine) =>
    `${bareReadFile.backwards(fromLine, toLine)} Lines count from 1, and from_line comes first.`,
  more: (fromLine, toLine, bytes) =>
    `\n[lines ${fromLine} to ${toLine} of a file of ${bytes} bytes; read on with from_line ${toLine + 1}]`,
  longLine: (line) =>
    `\n[line ${line} is too long and was cut here; the rest of it cannot be read; what follows it starts at from_line ${line + 1}]`,
};
