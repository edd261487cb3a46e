/** What `write_file` and `edit_file` say to the model. */
import type { LineCounts } from '../changes.ts';
import { countOf, quoted } from './words.ts';

export interface WriteFilesTexts {
  readonly outside: (path: string) => string;
  readonly stateFolder: (path: string) => string;
  readonly protectedName: (path: string, name: string) => string;
  readonly folder: (path: string) => string;
  /** A pipe, a device, a second name of a file, a link to nothing: `what` says which. */
  readonly notRegular: (path: string, what: string) => string;
  readonly belowFile: (path: string) => string;
  readonly refused: (path: string, reason: string) => string;
  readonly changed: (path: string) => string;
  readonly exists: (path: string, lines: number | null) => string;
  /** The model has read the file with its secrets masked. */
  readonly losesSecrets: (path: string, tools: readonly string[]) => string;
  readonly noFile: (path: string, tools: readonly string[]) => string;
  readonly notText: (path: string, maxBytes: number) => string;
  readonly emptyOldText: (tools: readonly string[]) => string;
  readonly sameText: () => string;
  readonly notFound: (path: string, tools: readonly string[]) => string;
  readonly several: (path: string, lines: readonly number[]) => string;
  readonly unchanged: (path: string) => string;
  readonly made: (path: string, lines: number) => string;
  readonly replaced: (path: string, counts: LineCounts | null) => string;
  readonly edited: (path: string, places: number, counts: LineCounts) => string;
}

const lines = (count: number): string => countOf(count, 'line', 'lines');

const countsOf = ({ added, removed }: LineCounts): string => `${lines(added)} added, ${removed} removed`;

const MAX_LINES = 10;

const listOf = (numbers: readonly number[]): string =>
  numbers.slice(0, MAX_LINES).join(', ') + (numbers.length > MAX_LINES ? ' and more' : '');

export const bareWriteFiles = {
  outside: (path: string) => `${quoted(path)} is outside the workspace.`,
  stateFolder: (path: string) => `${quoted(path)} belongs to the program that runs you.`,
  protectedName: (path: string, name: string) =>
    `${quoted(path)} is protected: ${quoted(name)} is not written to.`,
  folder: (path: string) => `${quoted(path)} is a folder.`,
  notRegular: (path: string, what: string) => `${quoted(path)} is ${what}.`,
  belowFile: (path: string) => `A folder of ${quoted(path)} is a file.`,
  refused: (path: string, reason: string) => `${quoted(path)} cannot be written: ${reason}.`,
  changed: (path: string) =>
    `${quoted(path)} was changed by somebody else in the meantime. Nothing was written.`,
  exists: (path: string, count: number | null) =>
    `${quoted(path)} exists already${count === null ? '' : ` and has ${lines(count)}`}. Nothing was written.`,
  losesSecrets: (path: string) =>
    `${quoted(path)} holds secrets that are masked for you; the new text would lose them. Nothing was written.`,
  noFile: (path: string) => `There is no file ${quoted(path)} in the workspace.`,
  notText: (path: string, maxBytes: number) =>
    `${quoted(path)} is not UTF-8 text, or has more than ${maxBytes} bytes.`,
  emptyOldText: () => 'old_text is empty.',
  sameText: () => 'old_text and new_text are the same.',
  notFound: (path: string) => `old_text is not in ${quoted(path)}. Nothing was changed.`,
  several: (path: string, at: readonly number[]) =>
    `old_text is ${at.length} times in ${quoted(path)}, at the lines ${listOf(at)}. Nothing was changed.`,
  unchanged: (path: string) => `${quoted(path)} holds exactly this already; nothing was written.`,
  made: (path: string, count: number) => `Wrote ${quoted(path)}, a new file of ${lines(count)}.`,
  replaced: (path: string, counts: LineCounts | null) =>
    `Replaced ${quoted(path)}${counts === null ? ', which was no text, or too large to be compared' : `: ${countsOf(counts)}`}.`,
  edited: (path: string, places: number, counts: LineCounts) =>
    `Changed ${quoted(path)}${places === 1 ? '' : ` at ${places} places`}: ${countsOf(counts)}.`,
} satisfies WriteFilesTexts;

export const instructiveWriteFiles: WriteFilesTexts = {
  ...bareWriteFiles,
  outside: (path) =>
    `${bareWriteFiles.outside(path)} Only files in the workspace can be written, by a path relative to it.`,
  stateFolder: (path) => `${bareWriteFiles.stateFolder(path)} It cannot be written. Choose another path.`,
  protectedName: (path, name) =>
    `${bareWriteFiles.protectedName(path, name)} Do not look for a way around it; if the task needs this change, tell the user what to change.`,
  folder: (path) => `${bareWriteFiles.folder(path)} Give the path of a file in it.`,
  notRegular: (path, what) =>
    `${bareWriteFiles.notRegular(path, what)} Choose another path, or tell the user.`,
  belowFile: (path) => `${bareWriteFiles.belowFile(path)} Nothing was written; choose another path.`,
  refused: (path, reason) =>
    `${bareWriteFiles.refused(path, reason)} Trying again will not help; choose another path, or tell the user.`,
  changed: (path) =>
    `${bareWriteFiles.changed(path)} Read it again, then make the change to what is there now.`,
  exists: (path, count) =>
    `${bareWriteFiles.exists(path, count)} Choose another path, or read it first and give overwrite: true to replace all of it.`,
  losesSecrets: (path, tools) =>
    `${bareWriteFiles.losesSecrets(path)} ${tools.includes('edit_file') ? 'Change the other parts with edit_file.' : 'Tell the user what to change.'}`,
  noFile: (path, tools) =>
    `${bareWriteFiles.noFile(path)} ${tools.includes('write_file') ? 'write_file makes a new one.' : 'Give the path of a file that is there.'}`,
  notText: (path, maxBytes) =>
    `${bareWriteFiles.notText(path, maxBytes)} It cannot be edited; tell the user.`,
  emptyOldText: (tools) =>
    `${bareWriteFiles.emptyOldText()} Give the text that is to be replaced${tools.includes('write_file') ? '; write_file writes a whole file' : ''}.`,
  sameText: () => `${bareWriteFiles.sameText()} Nothing would change; give the new text as new_text.`,
  notFound: (path, tools) =>
    `${bareWriteFiles.notFound(path)} It has to be there letter by letter, blanks and line breaks too. ${tools.includes('read_file') ? 'Read the file again, and copy the text from it.' : 'Copy it from the file as it is.'}`,
  several: (path, at) =>
    `${bareWriteFiles.several(path, at)} Take in more of the text around the one that you mean, or give replace_all: true to change all.`,
};
