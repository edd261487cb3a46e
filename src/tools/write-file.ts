import { z } from 'zod';
import { lineCountsOf } from './changes.ts';
import type { Redactor } from '../text/redact.ts';
import { defineTool, ToolError, type Tool, type ToolContext } from './define-tool.ts';
import { carryOut, changeOf, findTarget, previewOf, type Plan } from './writing.ts';

const inputOf = z.strictObject({
  path: z.string().describe('Path of the file, relative to the workspace.'),
  content: z.string().describe('The whole text of the file.'),
  overwrite: z.boolean().optional().describe('Replaces a file that is there already. Default: false.'),
});

type Input = z.output<typeof inputOf>;

/** Writes a file of the workspace as a whole. */
export function writeFile(): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a text file of the workspace as a whole; folders on the way are made. A file that is there already is replaced only with overwrite: true.',
    input: inputOf,
    effects: 'some',
    run,
    preview: async (input, context) => previewOf(await planOf(input, context)),
  });
}

async function run(input: Input, context: ToolContext): Promise<string> {
  const { path, content } = input;
  const texts = context.texts.writeFiles;
  const plan = await planOf(input, context);
  const { before } = plan.target;
  if (before?.text === content) return texts.unchanged(path);
  await carryOut(plan, path, texts);
  if (before === null) return texts.made(path, linesIn(content));
  return texts.replaced(path, before.text === null ? null : lineCountsOf(changeOf(plan)));
}

async function planOf({ path, content, overwrite = false }: Input, context: ToolContext): Promise<Plan> {
  const target = await findTarget(path, context);
  if (target.before !== null && !overwrite) {
    const { text } = target.before;
    throw new ToolError(context.texts.writeFiles.exists(path, text === null ? null : linesIn(text)));
  }
  if (losesSecrets(target.before?.text ?? '', content, context.redact))
    throw new ToolError(context.texts.writeFiles.losesSecrets(path, context.tools));
  return { target, after: content };
}

/** The mask would take their place, and look the same in a masked diff. */
const losesSecrets = (before: string, after: string, redact: Redactor): boolean =>
  redact(before) !== before && redact(after) === after;

/** A last line that is not ended is one. */
const linesIn = (text: string): number =>
  text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0);
