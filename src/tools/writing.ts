/** What `write_file` and `edit_file` have in common: a plan that can be shown or carried out. */
import { relative, sep } from 'node:path';
import { diffOf, type Change } from './changes.ts';
import { ToolError, type ToolContext } from './define-tool.ts';
import { ChangedError, replaceFile } from './replace-file.ts';
import { codeOf, reasonOf } from './system-errors.ts';
import { targetOf, type NoTarget, type Target } from './target.ts';
import type { WriteFilesTexts } from './texts/write-files.ts';

export interface Plan {
  readonly target: Target;
  readonly after: string;
}

/** Larger files are neither compared nor edited. */
export const MAX_BYTES = 5_000_000;

/** @throws {ToolError} when nothing can be written there */
export async function findTarget(path: string, context: ToolContext): Promise<Target> {
  const found = await targetOf(context, path, MAX_BYTES);
  if (found.kind === 'target') return found;
  throw new ToolError(refusal(path, found, context));
}

function refusal(path: string, found: NoTarget, { texts }: ToolContext): string {
  const { writeFiles, readFile } = texts;
  switch (found.kind) {
    case 'blank':
      return readFile.blankPath();
    case 'nul_byte':
      return readFile.nulByte();
    case 'outside':
      return writeFiles.outside(path);
    case 'state_folder':
      return writeFiles.stateFolder(path);
    case 'protected':
      return writeFiles.protectedName(path, found.name);
    case 'folder':
      return writeFiles.folder(path);
    case 'unreadable':
      return writeFiles.refused(path, found.reason);
    case 'below_file':
      return writeFiles.belowFile(path);
    case 'special':
      return writeFiles.notRegular(path, `a ${found.type}, not a file`);
    case 'hard_link':
      return writeFiles.notRegular(path, HARD_LINK);
    case 'broken_link':
      return writeFiles.notRegular(path, 'a link that leads to nothing');
  }
}

const HARD_LINK =
  'a file with more than one name (a hard link), and another one may be outside the workspace';

/** @throws {ToolError} */
export async function carryOut({ target, after }: Plan, path: string, texts: WriteFilesTexts): Promise<void> {
  try {
    await replaceFile(target, after);
  } catch (error) {
    if (error instanceof ChangedError) throw new ToolError(texts.changed(path));
    const code = codeOf(error);
    throw code === null ? error : new ToolError(texts.refused(path, reasonOf(code)));
  }
}

/** What would change, as a diff. Of what is no text only the new one can be shown. */
export const previewOf = (plan: Plan): string => diffOf(changeOf(plan));

export const changeOf = ({ target: { place, path, before }, after }: Plan): Change => ({
  way: relative(place.root, path).split(sep).join('/'),
  before: before?.text ?? null,
  after,
});
