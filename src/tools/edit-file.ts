import { z } from 'zod';
import { lineCountsOf } from './changes.ts';
import { defineTool, ToolError, type Tool, type ToolContext } from './define-tool.ts';
import { carryOut, changeOf, findTarget, MAX_BYTES, previewOf, type Plan } from './writing.ts';

const inputOf = z.strictObject({
  path: z.string().describe('Path of the file, relative to the workspace.'),
  old_text: z
    .string()
    .describe('Text that is there, letter by letter, with enough around it to be there only once.'),
  new_text: z.string().describe('What takes its place.'),
  replace_all: z.boolean().optional().describe('Replaces it wherever it is. Default: false.'),
});

type Input = z.output<typeof inputOf>;

/** Replaces one piece of a file of the workspace, or all that are the same. */
export function editFile(): Tool {
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces a piece of a text file of the workspace by another. old_text has to be in the file exactly once, or replace_all: true is given. Line ends of the file are kept.',
    input: inputOf,
    effects: 'some',
    run: async (input, context) => {
      const plan = await planOf(input, context);
      await carryOut(plan, input.path, context.texts.writeFiles);
      return context.texts.writeFiles.edited(input.path, plan.places, lineCountsOf(changeOf(plan)));
    },
    preview: async (input, context) => previewOf(await planOf(input, context)),
  });
}

interface EditPlan extends Plan {
  readonly places: number;
}

async function planOf(input: Input, context: ToolContext): Promise<EditPlan> {
  const { path, replace_all: isForAll = false } = input;
  const texts = context.texts.writeFiles;
  if (input.old_text === '') throw new ToolError(texts.emptyOldText(context.tools));
  const target = await findTarget(path, context);
  if (target.before === null) throw new ToolError(texts.noFile(path, context.tools));
  const { text } = target.before;
  if (text === null) throw new ToolError(texts.notText(path, MAX_BYTES));
  const withItsEnds = lineEndsOf(text);
  const oldText = withItsEnds(input.old_text);
  const newText = withItsEnds(input.new_text);
  if (oldText === newText) throw new ToolError(texts.sameText());
  const pieces = text.split(oldText);
  if (pieces.length === 1) throw new ToolError(texts.notFound(path, context.tools));
  if (pieces.length > 2 && !isForAll) throw new ToolError(texts.several(path, linesOf(pieces, oldText)));
  return { target, after: pieces.join(newText), places: pieces.length - 1 };
}

/** Models write `\n`; where every line of a file ends with `\r\n`, that is meant. */
const lineEndsOf = (text: string): ((piece: string) => string) => {
  const isCrlf = text.includes('\r\n') && !/(?<!\r)\n/.test(text);
  return (piece) => (isCrlf ? piece.replaceAll(/\r?\n/g, '\r\n') : piece);
};

/** Lines at which the piece between two of these begins. */
function linesOf(pieces: readonly string[], between: string): readonly number[] {
  let line = 1;
  return pieces.slice(0, -1).map((piece) => {
    line += breaksIn(piece);
    const at = line;
    line += breaksIn(between);
    return at;
  });
}

const breaksIn = (text: string): number => text.split('\n').length - 1;
