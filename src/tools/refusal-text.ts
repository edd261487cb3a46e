import type { ToolContext } from './define-tool.ts';
import type { NotOpened } from './workspace-path.ts';

/** Why a path of the workspace cannot be read, for the model. */
export function refusalText(
  path: string,
  opened: NotOpened,
  { texts: { readFile: texts }, tools }: Pick<ToolContext, 'texts' | 'tools'>,
): string {
  switch (opened.kind) {
    case 'blank':
      return texts.blankPath();
    case 'nul_byte':
      return texts.nulByte();
    case 'outside':
      return texts.outside(path);
    case 'state_folder':
      return texts.stateFolder(path);
    case 'hard_link':
      return texts.hardLink(path);
    case 'missing':
      return texts.missing(path, opened.folder, opened.names, tools);
    case 'folder':
      return texts.folder(path, opened.names, tools);
    case 'special':
      return texts.special(path, opened.type);
    case 'unreadable':
      return texts.unreadable(path, opened.reason);
  }
}
