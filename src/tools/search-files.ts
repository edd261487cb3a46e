import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import { ahead } from './ahead.ts';
import { defineTool, ToolError, type Tool, type ToolContext } from './define-tool.ts';
import { globMatcher } from './glob.ts';
import { patternOf, type PatternOptions } from './pattern.ts';
import { placeOf, type Place } from './place.ts';
import { wholeTextOf, type WholeText } from './read-text.ts';
import { refusalText } from './refusal-text.ts';
import { search } from './search-text.ts';
import { isLossy, lineOfName } from './shown-name.ts';
import { codeOf, reasonOf } from './system-errors.ts';
import type { NotSearched } from './texts/search-files.ts';
import { walk } from './walk.ts';
import { openAt, openInWorkspace, type Opened } from './workspace-path.ts';

export interface SearchFilesOptions {
  /** The most matching lines that one call gives. Default 200. */
  readonly maxLines?: number;
  /** Larger files are left out, in bytes. Default 5,000,000. */
  readonly maxFileBytes?: number;
}

const flag = z.boolean().optional();

/** Finds lines in the files of the workspace. */
export function searchFiles({ maxLines = 200, maxFileBytes = 5_000_000 }: SearchFilesOptions = {}): Tool {
  return defineTool({
    name: 'search_files',
    description: `Finds lines in the text files of the workspace by a regular expression (RE2), and gives at most ${maxLines} of them as path:line: text. What .gitignore files leave out is not searched.`,
    input: z.strictObject({
      pattern: z.string().describe('Regular expression, for one line.'),
      fixed: flag.describe('Takes the pattern as plain text.'),
      ignore_case: flag,
      path: z.string().optional().describe('Folder or file to search. Default: the whole workspace.'),
      glob: z
        .string()
        .optional()
        .describe('Only files that it matches: *.py at any depth; with a slash it counts from the folder.'),
      context_lines: z.int().min(0).max(10).optional().describe('Lines to show around each. Default: 0.'),
      include_ignored: flag.describe('Searches what .gitignore files leave out as well.'),
    }),
    effects: 'none',
    run: async (input, context) => {
      const isIn = matcherOf(
        input.pattern,
        { isFixed: input.fixed ?? false, ignoresCase: input.ignore_case ?? false },
        context,
      );
      const isWanted = globOf(input.glob, context);
      const { path = '.', include_ignored: withIgnored = false } = input;
      const files = filesAt(path, { isWanted, withIgnored }, context);
      const found = new Findings({ isIn, context: input.context_lines ?? 0, maxLines }, context);
      for await (const file of ahead(files, READ_AHEAD, (next) => readText(next, maxFileBytes))) {
        await found.add(file);
        if (found.isCut) break;
      }
      return found.text(input.pattern);
    },
  });
}

function matcherOf(text: string, options: PatternOptions, { texts }: ToolContext): (line: string) => boolean {
  const pattern = patternOf(text, options);
  if (pattern.kind === 'pattern') return pattern.isIn;
  const reason = pattern.kind === 'bad' ? pattern.reason : '';
  throw new ToolError(texts.searchFiles.badPattern(text, pattern.kind, reason));
}

/** Of the way from the folder. As in a `.gitignore`, a glob without a slash is for names. */
function globOf(glob: string | undefined, { texts }: ToolContext): (way: string) => boolean {
  if (glob === undefined) return () => true;
  try {
    const isMatch = globMatcher(glob);
    return glob.includes('/') ? isMatch : (way) => isMatch(way.slice(way.lastIndexOf('/') + 1));
  } catch (error) {
    throw new ToolError(texts.listFiles.badPattern(glob, messageOf(error)));
  }
}

/** Files that are read while one is searched: most of the time goes by waiting for the system. */
const READ_AHEAD = 8;

interface File {
  /** From the root. */
  readonly way: string;
  /** Whoever takes it closes it. */
  readonly open: () => Promise<Opened>;
}

interface Read {
  readonly way: string;
  readonly found: Exclude<Opened['kind'], 'file'> | WholeText;
}

async function readText({ way, open }: File, maxBytes: number): Promise<Read> {
  const opened = await open();
  if (opened.kind !== 'file') return { way, found: opened.kind };
  try {
    return { way, found: await wholeTextOf(opened.file, opened.stats.size, maxBytes) };
  } finally {
    await opened.file.close();
  }
}

interface Which {
  /** Takes the way from the folder that is searched. */
  readonly isWanted: (way: string) => boolean;
  readonly withIgnored: boolean;
}

async function* filesAt(
  path: string,
  { isWanted, withIgnored }: Which,
  context: ToolContext,
): AsyncGenerator<File> {
  const place = await placeOf(context);
  const opened = await openInWorkspace(context, path);
  if (opened.kind === 'file') {
    yield { way: wayOf(place, opened.real), open: async () => opened };
    return;
  }
  if (opened.kind === 'missing')
    throw new ToolError(context.texts.searchFiles.noPath(path, opened.folder, opened.names));
  if (opened.kind !== 'folder') throw new ToolError(refusalText(path, opened, context));
  const from = wayOf(place, opened.real);
  const start = from === '' ? 0 : from.length + 1;
  for await (const { way, kind } of walk(opened.real, {
    place,
    signal: context.signal,
    withIgnored,
    depth: Infinity,
  })) {
    if (kind === 'unreadable') yield { way, open: async () => ({ kind, reason: '' }) };
    if (kind === 'file' && isWanted(way.slice(start))) yield { way, open: () => openFound(place, way) };
  }
}

/** What goes away meanwhile is not there. */
async function openFound(place: Place, way: string): Promise<Opened> {
  try {
    return await openAt(place, join(place.root, way));
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    return code === 'ENOENT' && !isLossy(way)
      ? { kind: 'missing', folder: '', names: [] }
      : { kind: 'unreadable', reason: reasonOf(code) };
  }
}

const wayOf = ({ root }: Place, path: string): string => relative(root, path).split(sep).join('/');

interface Wanted {
  readonly isIn: (line: string) => boolean;
  readonly context: number;
  readonly maxLines: number;
}

class Findings {
  readonly #wanted: Wanted;
  readonly #context: ToolContext;
  readonly #lines: string[] = [];
  readonly #not: { -readonly [Kind in keyof NotSearched]: number } = {
    binaryFiles: 0,
    largeFiles: 0,
    hardLinks: 0,
    unreadable: 0,
    longLines: 0,
  };
  #hits = 0;
  #files = 0;
  #isCut = false;

  constructor(wanted: Wanted, context: ToolContext) {
    this.#wanted = wanted;
    this.#context = context;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  async add({ way, found }: Read): Promise<void> {
    if (found === 'hard_link') this.#not.hardLinks += 1;
    if (found === 'unreadable') this.#not.unreadable += 1;
    if (typeof found === 'string') return;
    if (found.kind === 'binary') this.#not.binaryFiles += 1;
    if (found.kind === 'large') this.#not.largeFiles += 1;
    if (found.kind === 'text') await this.#search(way, found.text);
  }

  text(pattern: string): string {
    const texts = this.#context.texts.searchFiles;
    const not = { ...this.#not, binaryFiles: this.#files === 0 ? this.#not.binaryFiles : 0 };
    const isWhole = Object.values(not).every((count) => count === 0);
    return [
      ...(this.#hits > 0 ? this.#lines : [texts.noHit(pattern, this.#files, !isWhole)]),
      ...(this.#isCut ? [texts.more(this.#hits)] : []),
      ...(isWhole ? [] : [texts.notSearched(not)]),
    ].join('\n');
  }

  /** Secrets are masked before they are searched: else a pattern could ask for them letter by letter. */
  async #search(way: string, text: string): Promise<void> {
    const { isIn, context, maxLines } = this.#wanted;
    const { redact, signal, report } = this.#context;
    const hits = await search(redact(text), { isIn, context, maxHits: maxLines - this.#hits, signal });
    this.#files += 1;
    this.#hits += hits.count;
    this.#isCut = hits.isCut;
    this.#not.longLines += hits.longLines;
    if (hits.count === 0) return;
    const name = lineOfName(way);
    if (context > 0 && this.#lines.length > 0) this.#lines.push('--');
    for (const line of hits.shown)
      this.#lines.push(line === '--' ? line : `${name}${line.replace(/^\d+([:-])/, '$1$&')}`);
    report(this.#lines.join('\n'));
  }
}
