import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import { defineTool, ToolError, type Tool, type ToolContext } from './define-tool.ts';
import { depthOf, globMatcher } from './glob.ts';
import { isThere, leadsOf } from './link.ts';
import { placeOf, type Place } from './place.ts';
import { refusalText } from './refusal-text.ts';
import { isLossy, lineOfName } from './shown-name.ts';
import { walk, type Found } from './walk.ts';
import { openInWorkspace } from './workspace-path.ts';

export interface ListFilesOptions {
  /** The most entries that one call lists. Default 500. */
  readonly maxEntries?: number;
}

/** Lists what is in a folder of the workspace. */
export function listFiles({ maxEntries = 500 }: ListFilesOptions = {}): Tool {
  return defineTool({
    name: 'list_files',
    description: `Lists files and folders of the workspace, at most ${maxEntries}, in order; folders end with /. What .gitignore files leave out is left out. The paths can be given to other tools as they are.`,
    input: z.strictObject({
      path: z.string().optional().describe('Folder to list, relative to the workspace. Default: all of it.'),
      pattern: z
        .string()
        .optional()
        .describe(
          'Glob that counts from the folder: *.csv is in it, **/*.csv at any depth, ** everything. Default: *',
        ),
      include_ignored: z.boolean().optional().describe('Lists what .gitignore files leave out as well.'),
    }),
    effects: 'none',
    run: async ({ path = '.', pattern = '*', include_ignored: withIgnored = false }, context) => {
      const start = await folderAt(path, context);
      const place = await placeOf(context);
      const isMatch = matcherOf(pattern, context);
      const base = wayOf(place, start);
      const found = walk(start, { place, signal: context.signal, withIgnored, depth: depthOf(pattern) });
      return list(found, { path, pattern, maxEntries, place, isMatch, base }, context);
    },
  });
}

/** @returns its real path */
async function folderAt(path: string, context: ToolContext): Promise<string> {
  const texts = context.texts.listFiles;
  const opened = await openInWorkspace(context, path);
  if (opened.kind === 'folder') return opened.real;
  if (opened.kind === 'missing') throw new ToolError(texts.noFolder(path, opened.folder, opened.names));
  if (opened.kind !== 'file') throw new ToolError(refusalText(path, opened, context));
  await opened.file.close();
  throw new ToolError(texts.isFile(path, context.tools));
}

function matcherOf(pattern: string, { texts: { listFiles: texts } }: ToolContext): (way: string) => boolean {
  try {
    return globMatcher(pattern);
  } catch (error) {
    throw new ToolError(texts.badPattern(pattern, messageOf(error)));
  }
}

const wayOf = ({ root }: Place, path: string): string => relative(root, path).split(sep).join('/');

interface Wanted {
  readonly path: string;
  readonly pattern: string;
  readonly maxEntries: number;
  readonly place: Place;
  readonly isMatch: (way: string) => boolean;
  /** Way to the folder that the pattern counts from. */
  readonly base: string;
}

async function list(found: AsyncIterable<Found>, wanted: Wanted, context: ToolContext): Promise<string> {
  const texts = context.texts.listFiles;
  const lines: string[] = [];
  const counts = { ignored: 0, unreadable: 0 };
  let isCut = false;
  for await (const entry of found) {
    if (entry.kind === 'ignored' || entry.kind === 'unreadable') counts[entry.kind] += 1;
    else if (wanted.isMatch(fromBase(entry.way, wanted.base))) {
      isCut = lines.length === wanted.maxEntries;
      if (isCut) break;
      const line = await lineOf(entry, wanted.place, context);
      if (line !== null) lines.push(line);
    }
  }
  const notes = [
    ...(isCut ? [texts.more(wanted.maxEntries)] : []),
    ...(counts.ignored > 0 ? [texts.ignored(counts.ignored)] : []),
    ...(counts.unreadable > 0 ? [texts.unreadable(counts.unreadable)] : []),
  ];
  return [...(lines.length > 0 ? lines : [nothing(wanted, context)]), ...notes].join('\n');
}

const nothing = ({ path, pattern }: Wanted, { texts: { listFiles: texts } }: ToolContext): string =>
  pattern === '*' ? texts.emptyFolder(path) : texts.noMatch(path, pattern);

const fromBase = (way: string, base: string): string =>
  way.slice(base === '' ? 0 : base.length + 1).replace(/\/$/, '');

/** Null for a link to what tools may not see. */
async function lineOf({ way, kind }: Found, place: Place, context: ToolContext): Promise<string | null> {
  const texts = context.texts.listFiles;
  if (isLossy(way) && !(await isThere(join(place.root, way)))) return lineOfName(way) + texts.lostName();
  if (kind !== 'link') return lineOfName(way);
  const leads = await leadsOf(place, way);
  switch (leads.to) {
    case 'inside':
      return lineOfName(way) + texts.linkTo(lineOfName(leads.way));
    case 'outside':
      return lineOfName(way) + texts.linkOut();
    case 'nothing':
      return lineOfName(way) + texts.brokenLink();
    case 'state_folder':
      return null;
  }
}
